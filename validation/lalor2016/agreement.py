"""Tables 2 and 3: how far the workers agree."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from validation.lalor2016 import printed
from validation.lalor2016.comparison import Comparison
from validation.lalor2016.inputs import LABEL_MAP, Study

_HALF_A_POINT = 0.0005
_HALF_A_HUNDREDTH = 0.005
_BY_CATEGORY = (
    "category-wise kappa (Fleiss 1971, p. 381) of the released labels; the printed value's formula is not stated"
)


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement table and its comparisons with the paper.

    Attributes
    ----------
    table : DataFrame
        ``CrowdLabels.agreement()``.
    shares, kappas : list of Comparison
        Table 2, read as agreement on any label, and Table 3.
    gold_shares : list of Comparison
        The other reading of Table 2: agreement on the gold label.
    unanswered : int
        Labels that are no answer.
    """

    table: pd.DataFrame
    shares: list[Comparison]
    gold_shares: list[Comparison]
    kappas: list[Comparison]
    unanswered: int


def measure_agreement(study: Study) -> Agreement:
    """Agreement shares and kappas beside the printed ones."""
    table = study.labels.agreement(LABEL_MAP)
    value = {(str(key[0]), str(key[1])): float(number) for key, number in zip(table.index, table["value"], strict=True)}
    answers = int(table["n_labels"].loc["majority", "any label"])
    subjects, items = study.responses.shape
    shares, gold_shares = (_shares(value, scope) for scope in ("any label", "gold label"))
    return Agreement(table, shares, gold_shares, _kappas(value), subjects * items - answers)


def _shares(value: dict[tuple[str, str], float], scope: str) -> list[Comparison]:
    words = {"majority": "more than half", "supermajority": "more than two thirds"}
    chose = "agree on one label, any" if scope == "any label" else "chose the gold label"
    return [
        Comparison(f"{words[measure]} {chose}", value[measure, scope], share, _HALF_A_POINT, percent=True)
        for measure, share in printed.AGREEMENT.items()
    ]


def _kappas(value: dict[tuple[str, str], float]) -> list[Comparison]:
    return [
        Comparison(
            f"Fleiss' kappa, {scope}",
            value["fleiss_kappa", scope],
            kappa,
            _HALF_A_HUNDREDTH,
            note="" if scope == "overall" else _BY_CATEGORY,
            printed_decimals=2,
        )
        for scope, kappa in printed.KAPPA.items()
    ]
