"""Where systems stand: ability, interval, percentiles and accuracy, a row for each."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from psyirt.data.any_responses import AnyResponses, as_table
from psyirt.data.patterns import Patterns
from psyirt.data.responses import MISSING, Responses
from psyirt.errors import DataWarning, InputError, NotAvailableError
from psyirt.estimation.latent_histogram import EmpiricalHistogram
from psyirt.foundation.threads import one_blas_thread
from psyirt.foundation.words import counted
from psyirt.likelihood import log_probability_table, posteriors
from psyirt.scoring.abilities import METHODS, estimate_abilities
from psyirt.scoring.percentiles import crowd_percentile, posterior_summary
from psyirt.scoring.problem import match_items, refuse_unknown_items

if TYPE_CHECKING:
    from psyirt.scale.scale import Scale

Array = NDArray[np.float64]

NonAnswer = Literal["wrong", "missing"]
PopulationChoice = Literal["normal", "histogram"]
Unknown = Literal["error", "ignore"]

COLUMNS = (
    "theta", "se", "lower", "upper", "percentile", "percentile_low", "percentile_high", "crowd_percentile",
    "crowd_tied", "at_ceiling", "correct", "answered", "non_answers", "accuracy", "accuracy_low", "accuracy_high",
)  # fmt: skip
_BAYESIAN = ("EAP", "MAP")
_Z = 1.959963984540054
_FLOOR = 1e-300


@dataclass(frozen=True)
class ScoreOptions:
    """How responses are scored; see ``Scale.score``."""

    method: str = "EAP"
    non_answer: str = "wrong"
    population: str = "normal"
    unknown: str = "error"

    def __post_init__(self) -> None:
        """Refuse what is not known."""
        for name, choices in (("non_answer", NonAnswer), ("population", PopulationChoice), ("unknown", Unknown)):
            if getattr(self, name) not in get_args(choices):
                raise InputError(
                    f"{name}={getattr(self, name)!r} is not known", "", f"Give one of: {', '.join(get_args(choices))}"
                )
        METHODS[self.method]


def score_table(scale: Scale, responses: AnyResponses, options: ScoreOptions) -> pd.DataFrame:
    """See ``Scale.score``."""
    table = as_table(responses, "Scale.score")
    return table_of(scale, _presented(scale, table, options.unknown), options)


def table_of(scale: Scale, presented: Responses, options: ScoreOptions) -> pd.DataFrame:
    """See ``Scale.score``; the responses are to items of the scale, in its order."""
    if options.population == "histogram" and scale.histogram is None:
        raise NotAvailableError(
            "no empirical histogram", f"scale {scale.name!r}", "It was made without responses; use population='normal'"
        )
    counting = _counting(presented, options.non_answer)
    # a block and not a decorator, so that warnings point at the caller's line
    with one_blas_thread():
        table = _stand(scale, counting, options)
    _put_accuracy(table, presented, counting)
    return table[list(COLUMNS)]


def _stand(scale: Scale, counting: Responses, options: ScoreOptions) -> pd.DataFrame:
    """Ability, interval and percentiles."""
    table = posterior_summary(scale.item_parameters, scale.population, scale.grid, counting)
    eap = table["theta"].to_numpy(copy=True)
    if options.population == "histogram":
        table.loc[:, ["percentile", "percentile_low", "percentile_high"]] = _histogram_percentiles(scale, counting)
    if options.method.upper() != "EAP":
        _put_method(table, scale, counting, options)
    if scale.crowd is None:
        table["crowd_percentile"] = table["crowd_tied"] = np.nan
    else:
        rank = crowd_percentile(eap, scale.crowd.members())
        table["crowd_percentile"], table["crowd_tied"] = rank.percentile, rank.tied
    return table


def _presented(scale: Scale, responses: Responses, unknown: str) -> Responses:
    """The responses to the scale's items, in the scale's order; absent items and empty rows are warned of."""
    known = set(scale.item_names)
    if unknown == "error":
        refuse_unknown_items(responses.item_names, scale.item_names)
    elif not known.issuperset(responses.item_names):
        responses = responses.select(items=[name for name in responses.item_names if name in known])
    present = set(responses.item_names)
    shared = [name for name in scale.item_names if name in present]
    if not shared:
        raise InputError(
            "none of the items are on the scale", f"scale {scale.name!r}", f"Its items are {scale.item_names[0]!r}, ..."
        )
    if len(shared) < len(known):
        warnings.warn(
            DataWarning(
                f"{len(known) - len(shared)} of {counted(len(known), 'item')} were not given: a partial form, whose "
                "attainable range and crowd percentiles differ from the whole scale's",
                f"scale {scale.name!r}",
            ),
            stacklevel=4,
        )
    return responses.select(items=shared)


def _counting(presented: Responses, non_answer: str) -> Responses:
    """The responses as they count: missing ones in columns that are there are wrong, or stay missing."""
    codes = presented.codes
    empty = [name for name, row in zip(presented.subject_names, codes, strict=True) if (row == MISSING).all()]
    if empty:
        effect = "every item counts as wrong" if non_answer == "wrong" else "the score is the population's"
        warnings.warn(
            DataWarning(
                f"{counted(len(empty), 'subject')} answered nothing, so {effect}", f"subject {empty[0]!r}, the first"
            ),
            stacklevel=5,
        )
    if non_answer == "missing":
        return presented
    filled = np.where(codes == MISSING, 0, codes).astype(np.int8)
    return Responses(filled, presented.subject_names, presented.item_names)


def _put_method(table: pd.DataFrame, scale: Scale, counting: Responses, options: ScoreOptions) -> None:
    """Replace theta and se by another method's; for ML and WLE interval and percentile follow theta."""
    found = estimate_abilities(scale.item_parameters, scale.population, scale.grid, counting, options.method)
    theta, se = found["theta"].to_numpy(), found["se"].to_numpy()
    table["theta"], table["se"] = theta, se
    if options.method.upper() in _BAYESIAN:
        return
    infinite = np.isinf(theta)
    half = np.where(infinite, np.nan, _Z * se)
    bounds = {
        "lower": np.where(theta == -np.inf, theta, theta - half),
        "upper": np.where(theta == np.inf, theta, theta + half),
    }
    table["lower"], table["upper"] = bounds["lower"], bounds["upper"]
    for column, values in (("", theta), ("_low", bounds["lower"]), ("_high", bounds["upper"])):
        table[f"percentile{column}"] = 100.0 * _share_below(scale, values, options.population)


def _share_below(scale: Scale, theta: Array, population: str) -> Array:
    """Share of the population below theta, NaN where theta is."""
    if population == "normal" or scale.histogram is None:
        return scale.population.share_below(theta)
    return np.where(np.isnan(theta), np.nan, scale.histogram.share_below(theta))


def _histogram_percentiles(scale: Scale, counting: Responses) -> Array:
    """Percentile and its bounds when the population is the empirical histogram, shape (N, 3).

    Prior and population are both the histogram, so that the percentiles of the people it describes average 50.
    """
    assert scale.histogram is not None
    histogram: EmpiricalHistogram = scale.histogram
    parameters, shared = match_items(scale.item_parameters, counting)
    table = log_probability_table(parameters, scale.grid)
    # the kernel multiplies by exp(log weight); a node without weight keeps a number that leaves no trace
    log_weights = np.log(np.maximum(histogram.weights, _FLOOR))
    below = np.cumsum(histogram.weights) - 0.5 * histogram.weights
    edges = np.append(0.0, np.cumsum(histogram.weights))
    out = np.empty((counting.shape[0], 3))
    for block in posteriors(Patterns.of(as_table(shared, "Scale.score").codes), table, log_weights):
        reached = np.cumsum(block.weights, axis=1)
        bounds = [_quantiles(reached, block.weights, edges, level) for level in (0.025, 0.975)]
        out[block.rows] = np.column_stack([block.weights @ below, *bounds])
    return 100.0 * out


def _quantiles(reached: Array, weights: Array, edges: Array, level: float) -> Array:
    """Population share at a posterior quantile; both spread a node's weight evenly over its interval."""
    node = np.minimum((reached < level).sum(1), weights.shape[1] - 1)
    row = np.arange(len(weights))
    within = np.clip((level - (reached[row, node] - weights[row, node])) / weights[row, node], 0.0, 1.0)
    share: Array = edges[node] + within * (edges[node + 1] - edges[node])
    return share


def _put_accuracy(table: pd.DataFrame, presented: Responses, counting: Responses) -> None:
    """Number correct, accuracy on the items counted, its Wilson interval, and whether either end was reached."""
    items = (counting.codes != MISSING).sum(1)
    correct = (counting.codes == 1).sum(1)
    some = items > 0
    table["at_ceiling"] = pd.array(
        np.select([some & (correct == items), some & (correct == 0)], [">=", "<="], default="").tolist(), dtype="str"
    )
    table["correct"] = correct
    table["answered"] = (presented.codes != MISSING).sum(1)
    table["non_answers"] = (presented.codes == MISSING).sum(1)
    accuracy, low, high = np.full((3, len(items)), np.nan)
    accuracy[some] = correct[some] / items[some]
    if some.any():
        low[some], high[some] = proportion_confint(correct[some], items[some], alpha=0.05, method="wilson")
    table["accuracy"], table["accuracy_low"], table["accuracy_high"] = accuracy, low, high
