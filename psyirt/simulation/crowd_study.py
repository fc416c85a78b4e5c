"""A whole crowd study from known parameters, shaped like that of Lalor, Wu & Yu (2016), with faults planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from psyirt.data.attention import AttentionRule
from psyirt.data.labels import CrowdLabels
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.own_tables import OwnsTables
from psyirt.models.base import Array
from psyirt.simulation.crowd_items import GroupItems, checked_faults, draw_group, draw_group_outcomes
from psyirt.simulation.crowd_labels import draw_choices, short_codes, wrong_label_shares
from psyirt.simulation.streams import share, streams, whole

ATTENTION = "attention"
ATTENTION_ITEMS, ATTENTION_PASS, ATTENTIVE_RIGHT = 5, 4, 0.99
UNANSWERED = "na"
DEFAULT_SYSTEMS: Mapping[str, float] = {"system-low": -1.0, "system-middle": 0.0, "system-high": 1.0}


@dataclass(frozen=True, eq=False)
class CrowdStudy(OwnsTables):
    """A simulated crowd study with the truth behind it.

    Attributes
    ----------
    labels : CrowdLabels
        Raw labels (short codes) of all workers, attention items included, with their gold.
    gold : DataFrame, index ``item``
        Columns ``gold`` and ``group`` (the gold class, or "attention").
    label_map : dict of str to str
        Short code -> gold label.
    attention_rule : AttentionRule
        The attention items and how many must be right.
    truth : DataFrame, index ``item``
        Columns group, a, b, intercept, fault (``""`` for a good item), partner (of a dependent pair). For a
        non-monotone item a, b and intercept describe the rising part. Attention items are not in it.
    faults : DataFrame, index ``item``
        One row per planted fault: group, fault, partner. A dependent pair has one row, its partner copies.
    responses : Responses
        The outcomes behind the labels, before answers were left out; without the attention items.
    theta : DataFrame, index ``worker``
        True abilities, one column per class (careless workers did not use theirs).
    careless : tuple of str
        Workers who answered at random.
    systems : CrowdLabels
        Predictions of the simulated systems, in the gold's own words, with the gold; no attention items.
    system_theta : Series, index ``system``
        Their true abilities, the same in every class.
    seed : int
        The seed that gives the same bits again (with the same numpy).
    """

    labels: CrowdLabels
    gold: pd.DataFrame
    label_map: dict[str, str]
    attention_rule: AttentionRule
    truth: pd.DataFrame
    faults: pd.DataFrame
    responses: Responses
    theta: pd.DataFrame
    careless: tuple[str, ...]
    systems: CrowdLabels
    system_theta: pd.Series
    seed: int

    def __repr__(self) -> str:
        """What was simulated."""
        counts = self.faults["fault"].value_counts(sort=False)
        planted = ", ".join(f"{count} {fault}" for fault, count in counts.items()) or "none"
        return (
            f"CrowdStudy({len(self.theta)} workers, {len(self.careless)} of them careless; {len(self.truth)} items in "
            f"{self.theta.shape[1]} groups; planted faults: {planted}; {len(self.system_theta)} systems; "
            f"seed={self.seed})"
        )


def simulate_crowd_study(
    workers: int = 1000,
    groups: Sequence[str] = ("entailment", "contradiction", "neutral"),
    items_per_group: int = 30,
    *,
    seed: int,
    ability_correlation: float = 0.2,
    careless: float = 0.02,
    unanswered: int = 3,
    faults: Mapping[str, int] | None = None,
    systems: Mapping[str, float] | None = None,
) -> CrowdStudy:
    """Simulate a crowd study shaped like that of Lalor, Wu & Yu (2016).

    Abilities: one per class, each N(0, 1), equally correlated. Items: 2PL; b one uniform draw in each of
    `items_per_group` equal slices of the class's range, log a likewise, paired at random; the ranges are those of
    their Table 4 (entailment b -3.25..-1.90, a .78..2.61; contradiction -2.77..1.28, .85..2.73; neutral -2.08..-.55,
    1.27..3.60; any other class -3.25..1.28, .78..3.60). A wrong answer takes another label with shares that are the
    item's own, drawn from Dirichlet(2, ..., 2). Five attention items ask for an obvious label: attentive workers get
    each right with probability .99, careless workers answer everything at random; four right pass.

    Faults, at random places in each class:

    - "dependent pair": both items have the first one's a and b; a worker's outcome on the second is, with probability
      .55, a copy of that on the first, else drawn on its own. Each item alone follows its 2PL exactly; given theta
      the two correlate .55.
    - "non-monotone": P = logistic(2.5 (theta + 1.25)) * (1 - .7 logistic(4 (theta - 1))): rises to .95 near
      theta = .1, then falls to .3, so that able workers do worse.
    - "flat": a 2PL item with a uniform on [.2, .3] and P at theta = 0 uniform on [.6, .8].

    Parameters
    ----------
    workers : int
        N, careless ones included, at least 2.
    groups : sequence of str
        Gold classes, at least 2. Workers write each class's shortest telling beginning (e, c, n).
    items_per_group : int
        Items of each class, the faulty ones included.
    seed : int
        0 or above; the same seed gives the same bits.
    ability_correlation : float
        Between the abilities of any two classes, 0 to 1. The public labels of the 2016 study suggest little: the
        correlations of the classes' EAPs, corrected for their reliability, are .22, .28 and -.29.
    careless : float
        Share of workers who answer at random (rounded to whole workers), 0 to below 1.
    unanswered : int
        How many answers of attentive workers are "na" instead, at random.
    faults : mapping of str to int, optional
        How many of each fault every class has; those not named, none. Default: one of each. ``{}``: none.
    systems : mapping of str to float, optional
        Name -> ability in every class. Default: system-low -1, system-middle 0, system-high 1.

    Returns
    -------
    CrowdStudy

    Raises
    ------
    InputError
        If a number is out of range, a fault is unknown, or class names cannot be told apart.

    Examples
    --------
    >>> study = simulate_crowd_study(workers=100, items_per_group=10, seed=1)
    >>> screened = study.labels.screen(study.attention_rule, study.label_map)
    >>> screened.kept.grade(study.label_map).shape
    (98, 30)
    """
    names, codes = _checked_groups(groups)
    counts = checked_faults(faults, whole(items_per_group, "items_per_group", 1))
    for_items, for_people, for_outcomes, for_labels, for_systems = streams(seed, 5)
    items = [draw_group(group, items_per_group, counts, for_items) for group in names]
    truth = pd.concat([part.truth() for part in items])
    gold = _gold_table(truth, names)
    theta, is_careless = _people(whole(workers, "workers", 2), names, ability_correlation, careless, for_people)

    answer_key = np.array([names.index(label) for label in gold["gold"]], dtype=np.intp)
    wrong_shares = wrong_label_shares(answer_key, len(names), for_items)
    outcomes = np.hstack([_outcomes(items, theta.to_numpy(), for_outcomes), _attention(len(theta), for_outcomes)])
    choices = draw_choices(outcomes, answer_key, wrong_shares, for_labels)
    choices[is_careless] = for_labels.integers(len(names), size=choices[is_careless].shape)
    written = np.array(list(codes), dtype=object)[choices]
    _leave_out(written, whole(unanswered, "unanswered", 0), ~is_careless, len(truth), for_labels)

    abilities = _system_abilities(systems)
    spread = np.repeat(abilities.to_numpy()[:, None], len(names), axis=1)
    predicted = draw_choices(
        _outcomes(items, spread, for_systems), answer_key[: len(truth)], wrong_shares[: len(truth)], for_systems
    )
    right = (choices == answer_key)[:, : len(truth)].astype(np.int8)
    return CrowdStudy(
        labels=CrowdLabels.from_frame(pd.DataFrame(written, index=theta.index, columns=gold.index), gold=gold),
        gold=gold,
        label_map=codes,
        attention_rule=AttentionRule(tuple(gold.index[len(truth) :]), min_correct=ATTENTION_PASS),
        truth=truth,
        faults=_fault_table(items),
        responses=Responses(right, tuple(theta.index), tuple(truth.index), gold.iloc[: len(truth)]),
        theta=theta,
        careless=tuple(theta.index[is_careless]),
        systems=CrowdLabels.from_frame(
            pd.DataFrame(np.array(names, dtype=object)[predicted], index=abilities.index, columns=truth.index),
            gold=gold.iloc[: len(truth)],
        ),
        system_theta=abilities,
        seed=whole(seed, "seed", 0),
    )


def _checked_groups(groups: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The classes' names and their short codes."""
    if (
        not isinstance(groups, Sequence)
        or isinstance(groups, str)
        or len(groups) < 2
        or not all(isinstance(name, str) and name.strip() for name in groups)
    ):
        raise InputError(f"groups are {groups!r}", "simulation", "Give at least two names of gold classes")
    names = [name.strip() for name in groups]
    folded = [name.casefold() for name in names]
    if len(set(folded)) < len(names) or ATTENTION in folded:
        raise InputError(f"groups are {groups!r}", "simulation", f"Give names that differ, none of them {ATTENTION!r}")
    return names, short_codes(names)


def _gold_table(truth: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The answer key: the items, then the attention items, whose right labels go round the classes."""
    checks = [f"{ATTENTION}-{k + 1}" for k in range(ATTENTION_ITEMS)]
    right = [names[k % len(names)] for k in range(ATTENTION_ITEMS)]
    return pd.DataFrame(
        {"gold": [*truth["group"], *right], "group": [*truth["group"], *([ATTENTION] * ATTENTION_ITEMS)]},
        index=pd.Index([*truth.index, *checks], name="item"),
    )


def _people(
    workers: int, names: Sequence[str], correlation: float, careless: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Workers' abilities, and who of them is careless."""
    common = share(correlation, "ability_correlation", below_one=False)
    # a shared part of variance r gives every pair of classes the correlation r
    theta = np.sqrt(common) * rng.normal(size=(workers, 1)) + np.sqrt(1.0 - common) * rng.normal(
        size=(workers, len(names))
    )
    is_careless = np.zeros(workers, dtype=bool)
    number = round(workers * share(careless, "careless"))
    if number == workers:
        raise InputError(f"all {workers} workers are careless", "simulation", "Lower careless=")
    is_careless[rng.choice(workers, size=number, replace=False)] = True
    index = pd.Index([f"w{k + 1:0{len(str(workers))}d}" for k in range(workers)], name="worker")
    return pd.DataFrame(theta, index=index, columns=pd.Index(names, name="group")), is_careless


def _outcomes(items: Sequence[GroupItems], theta: Array, rng: np.random.Generator) -> NDArray[np.int8]:
    """0/1 outcomes of all classes' items side by side; theta has one column per class."""
    parts = [draw_group_outcomes(part, column, rng) for part, column in zip(items, theta.T, strict=True)]
    return np.hstack(parts)


def _attention(workers: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Attentive workers' outcomes on the attention items."""
    return (rng.random((workers, ATTENTION_ITEMS)) < ATTENTIVE_RIGHT).astype(np.int8)


def _leave_out(
    written: NDArray[np.object_], number: int, attentive: NDArray[np.bool_], items: int, rng: np.random.Generator
) -> None:
    """Write "na" into `number` random cells of attentive workers, in place, attention items apart."""
    rows = np.flatnonzero(attentive)
    if number > len(rows) * items:
        raise InputError(f"unanswered is {number}", "simulation", f"There are {len(rows) * items} answers in all")
    cells = rng.choice(len(rows) * items, size=number, replace=False)
    written[rows[cells // items], cells % items] = UNANSWERED


def _system_abilities(systems: Mapping[str, float] | None) -> pd.Series:
    """The systems' abilities."""
    given = DEFAULT_SYSTEMS if systems is None else systems
    require(given, Mapping, "systems", "simulation", "Give a mapping of name to ability")
    if not all(isinstance(value, Real) for value in given.values()):
        raise InputError(f"systems are {dict(given)!r}", "simulation", "Give a finite ability for at least one name")
    abilities = pd.Series(dict(given), name="theta", dtype=float).rename_axis("system")
    if abilities.empty or not np.isfinite(abilities).all():
        raise InputError(f"systems are {dict(given)!r}", "simulation", "Give a finite ability for at least one name")
    return abilities


def _fault_table(items: Sequence[GroupItems]) -> pd.DataFrame:
    """One row per planted fault."""
    truth = pd.concat([part.truth() for part in items])
    copying = {part.parameters.item_names[second] for part in items for _, second in part.pairs}
    faulty = truth[(truth["fault"] != "") & ~truth.index.isin(copying)]
    return faulty[["group", "fault", "partner"]]
