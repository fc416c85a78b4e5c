"""The scale as an artefact: items, their parameters, the crowd behind them, and how systems are scored on it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import pandas as pd

from psyirt.data.any_responses import AnyResponses
from psyirt.errors import InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.threads import one_blas_thread
from psyirt.results.calibration import Calibration
from psyirt.scale.artefact import write_artefact
from psyirt.scale.baselines import baseline_table
from psyirt.scale.content import ScaleContent
from psyirt.scale.description import scale_text
from psyirt.scale.making import ItemDetails, fields_of
from psyirt.scale.records import to_block
from psyirt.scale.scoring import ScoreOptions, score_table


@dataclass(frozen=True, eq=False, repr=False)
class Scale(ScaleContent):
    """Calibrated items that measure one ability, and the crowd they were calibrated on; frozen.

    Made by ``psyirt.build_scale``, :meth:`from_calibration` or ``psyirt.load_scale``. It can be given to whatever
    takes a measure (``psyirt.score``, ``information``). What it holds is described at
    :class:`psyirt.scale.content.ScaleContent`.
    """

    @classmethod
    def from_calibration(
        cls,
        calibration: Calibration,
        *,
        name: str,
        key: Mapping[str, str] | None = None,
        label_set: Sequence[str] | None = None,
        n_options: int | Mapping[str, Any] | None = None,
        item_text: Mapping[str, Any] | None = None,
        recruitment: str = "",
        history: pd.DataFrame | None = None,
        options: Any = None,
        statistics: pd.DataFrame | None = None,
    ) -> Scale:
        """A scale of a calibration's items.

        Parameters
        ----------
        calibration : Calibration
            One ability.
        name : str
            What to call it.
        key : mapping of item to str, optional
            Gold labels.
        label_set : sequence of str, optional
            Everything that can be answered; with it, and without `n_options`, an item has that many options.
        n_options : int or mapping of item to int, optional
            Option counts.
        item_text : mapping of item to str, optional
            What the items say.
        recruitment : str
            Who the crowd was.
        history : DataFrame, optional
            What was removed on the way, and why.
        options : mapping or dataclass, optional
            How it was built (estimation options, rules, seed); kept under ``provenance["options"]``.
        statistics : DataFrame, optional
            Index item: columns to keep beside the parameters (item fit and the like).

        Returns
        -------
        Scale

        Raises
        ------
        InputError
            If the items measure several abilities, or a mapping or table speaks of unknown items.
        """
        require(calibration, Calibration, "calibration", "Scale.from_calibration", "Fit one with fit_mml, or use fix")
        details = ItemDetails(key, label_set, n_options, item_text, statistics)
        with one_blas_thread():
            return cls(**fields_of(calibration, name, details, recruitment, history, options))

    def score(
        self,
        responses: AnyResponses,
        method: str = "EAP",
        non_answer: str = "wrong",
        *,
        population: str = "normal",
        unknown: str = "error",
    ) -> pd.DataFrame:
        """Where systems (or people) stand on the scale and in its crowd.

        Parameters
        ----------
        responses : Responses or SparseResponses
            Graded answers, items in any order. Items of the scale that have no column are a partial form: they count
            as not given, and a DataWarning says how many there are.
        method : {"EAP", "MAP", "ML", "WLE"}
            See ``psyirt.score``.
        non_answer : {"wrong", "missing"}
            What a missing response in a column that is there counts as: a refusal or parse failure is wrong by
            default, since abstaining on hard items would otherwise raise theta. Either way ``non_answers`` counts them.
        population : {"normal", "histogram"}
            The people that ``percentile`` speaks of: the scale's own density (normal, unless the items were calibrated
            under another), or the empirical histogram. theta and its interval stay those under the scale's density.
        unknown : {"error", "ignore"}
            What happens to items that are not on the scale.

        Returns
        -------
        DataFrame
            Index ``subject``. ``theta``, ``se``; ``lower``, ``upper``: 2.5 % and 97.5 % posterior quantiles (EAP and
            MAP), or theta -+ 1.96 se (ML and WLE; an infinite theta has one infinite bound and NaN for the other).
            ``percentile``: posterior mean of the share of the population below (of theta itself for ML and WLE), with
            ``percentile_low`` and ``percentile_high`` at the interval's ends, 0 to 100. ``crowd_percentile``: mid-rank
            of the subject's EAP among the crowd's (whatever the method), 0 to 100, with ``crowd_tied``, the share of
            the crowd at the same value. ``at_ceiling``: ">=" if every item counted was right, "<=" if every one was
            wrong (the ability may lie beyond), else "". ``correct``, ``answered``, ``non_answers``; ``accuracy`` =
            correct / items counted, ``accuracy_low``, ``accuracy_high`` (Wilson 1927, 95 %).

        Raises
        ------
        InputError
            If an option or an item is unknown, or no item of the scale is there.
        NotAvailableError
            If the scale has no histogram and one is asked for.
        """
        return score_table(self, responses, ScoreOptions(method, non_answer, population, unknown))

    def baselines(
        self,
        draws: int = 2000,
        seed: int = 0,
        *,
        method: str = "EAP",
        population: str = "normal",
        items: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """What answering without looking scores, to be shown beside every system.

        Parameters
        ----------
        draws : int
            Simulated random answerers.
        seed : int
            Their seed.
        method, population : str
            As for the systems beside which the baselines stand; see :meth:`score`.
        items : sequence of str, optional
            The items that were presented; default: all of the scale's.

        Returns
        -------
        DataFrame
            Index ``baseline``; the columns of :meth:`score` and ``note``. "always LABEL": that label on every item,
            graded with the key. "random": every item right with probability 1 / options; means over the draws, and
            2.5 % and 97.5 % quantiles of the draws as the bounds of theta, percentile and accuracy (``se`` is the
            standard deviation of theta over the draws). Where some draws have an infinite theta (ML), their mean and
            its standard deviation do not exist: theta and se are NaN, and ``note`` says why. Rows that need a key or
            option counts the items do not have are left out.

        Raises
        ------
        InputError
            If `draws` is below 2, `seed` is negative, an option is unknown, or an item is not on the scale or named
            twice.
        NotAvailableError
            If the scale has no histogram and one is asked for.
        """
        require(draws, Integral, "draws", "baselines", "Give a whole number, 2 or more")
        require(seed, Integral, "seed", "baselines", "Give 0 or a positive whole number")
        if seed < 0:
            raise InputError(f"seed is {seed}", "baselines", "Give 0 or a positive whole number")
        if items is not None:
            require(items, Iterable, "items", "baselines", "Give a list of names")
        return baseline_table(self, draws, seed, ScoreOptions(method, population=population), items)

    def summary(self) -> str:
        """Quality first, then the crowd, the key, the items and how the scale came about."""
        return scale_text(self)

    def __repr__(self) -> str:
        """The summary."""
        return self.summary()

    def _repr_html_(self) -> str:
        """The summary without items, and the items as a table, for notebooks."""
        head = scale_text(self, with_items=False).replace("&", "&amp;").replace("<", "&lt;")
        return f"<pre>{head}</pre>{self.items.round(3).to_html()}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scale to a JSON file, whole or not at all.

        Parameters
        ----------
        path : path
            The file; one that exists is replaced.

        Raises
        ------
        InputError
            If the folder is absent or cannot be written.
        """
        write_artefact([to_block(self)], path)
