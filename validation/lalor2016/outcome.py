"""Everything the study measures, and the same as plain values."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import psyirt
from validation.lalor2016.agreement import Agreement, measure_agreement
from validation.lalor2016.comparison import Comparison, differing
from validation.lalor2016.inputs import GROUPS, Study
from validation.lalor2016.retained import Retained, compare_retained
from validation.lalor2016.structure import eigenvalues
from validation.lalor2016.systems import Decoded, decode
from validation.lalor2016.theirs import TheirScale, their_scales

_DIGITS = 10


@dataclass(frozen=True, eq=False)
class Outcome:
    """The study's results.

    Attributes
    ----------
    study : Study
        The data.
    agreement : Agreement
        Tables 2 and 3.
    scales : dict of group to TheirScale
        Table 4 and Figure 4.
    decoded : dict of group to Decoded
        Table 5.
    retained : Retained
        The items kept.
    eigenvalues : dict of str to DataFrame
        Of the tetrachoric matrices.
    """

    study: Study
    agreement: Agreement
    scales: dict[str, TheirScale]
    decoded: dict[str, Decoded]
    retained: Retained
    eigenvalues: dict[str, pd.DataFrame]

    @property
    def comparisons(self) -> list[Comparison]:
        """Every number that is held against a printed one."""
        found = [*self.agreement.shares, *self.agreement.kappas]
        for group in GROUPS:
            found += [
                dataclasses.replace(each, what=f"{group}: {each.what}")
                for each in (*self.scales[group].paper, *self.scales[group].mirt)
            ]
        return [*found, *(self.decoded[group].comparison for group in GROUPS)]

    @property
    def differing(self) -> list[Comparison]:
        """Those that do not agree."""
        return differing(self.comparisons)


def measure(study: Study, say: Callable[[str], None]) -> Outcome:
    """Run every part of the study, saying which."""
    say("agreement")
    agreement = measure_agreement(study)
    say("scales on the authors' items")
    scales = their_scales(study)
    say("the LSTM's answers")
    decoded = {group: decode(study, group, scales[group].scale) for group in GROUPS}
    say("eigenvalues")
    roots = eigenvalues(study)
    say("our own pruning, with guessing tests (the longest part)")
    return Outcome(study, agreement, scales, decoded, compare_retained(study), roots)


def as_json(outcome: Outcome) -> str:
    """Every number, as text; the same data give the same text."""
    subjects, items = outcome.study.responses.shape
    content = {
        "psyirt": psyirt.__version__,
        "study": "Lalor, Wu & Yu (2016), 5GS",
        "data": {"workers": subjects, "items": items, "digest": f"sha256:{outcome.study.responses.digest}"},
        "comparisons": [{**plain(each), "agrees": each.agrees} for each in outcome.comparisons],
        "agreement": plain(outcome.agreement.table),
        "agreement_with_gold": [{**plain(each), "agrees": each.agrees} for each in outcome.agreement.gold_shares],
        "scales": {
            group: {
                "quality": plain(each.scale.quality),
                "normality": plain(each.scale.normality),
                "loglik": plain(each.loglik),
                "items": plain(each.scale.items),
                "spread": plain(each.spread),
                "information": plain(each.information),
                "misfitting": plain(each.misfitting),
                "largest_dependence": plain(each.dependent),
                "workers": plain(each.workers),
            }
            for group, each in outcome.scales.items()
        },
        "lstm": {group: plain(each) for group, each in outcome.decoded.items()},
        "retained": plain(outcome.retained),
        "eigenvalues": plain(outcome.eigenvalues),
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Dataclasses, tables, mappings and numbers as JSON has them; gaps and infinities become null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, pd.DataFrame):
        named = value if isinstance(value.index, pd.RangeIndex) and value.index.name is None else value.reset_index()
        return [{str(key): plain(cell) for key, cell in row.items()} for row in named.to_dict("records")]
    if isinstance(value, dict):
        return {" / ".join(key) if isinstance(key, tuple) else str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if value is None or value is pd.NA:
        return None
    if isinstance(value, (str, int)):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form")
