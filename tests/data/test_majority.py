"""The most frequent answer to each item, and the items where it is not the gold label."""

from __future__ import annotations

import numpy as np
import pandas as pd

from psyirt.data.labels import CrowdLabels
from psyirt.data.majority import against_gold, item_majorities


def test_majorities_ties_and_unanswered_items() -> None:
    """A tie named as a majority, or blanks counted as answers, would accuse a sound item."""
    frame = pd.DataFrame(
        {"q1": ["y", "y", "n", "na"], "q2": ["n", "n", "n", "y"], "q3": ["y", "n", "y", "n"], "q4": ["na"] * 4},
        index=list("abcd"),
    )
    labels = CrowdLabels.from_frame(frame, gold=dict.fromkeys(frame.columns, "yes") | {"q1": "yes"})
    meanings = labels.explain({"y": "yes", "n": "no"}, options=["yes", "no"])
    table = item_majorities(labels, meanings)
    assert table["majority_label"].tolist() == ["yes", "no", None, None]
    np.testing.assert_allclose(table["majority_share"], [2 / 3, 3 / 4, 1 / 2, np.nan])
    assert table["answers"].tolist() == [3, 4, 4, 0]
    assert against_gold(table).index.tolist() == ["q2", "q3"]
