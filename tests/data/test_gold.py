"""Gold tables in the shapes they come in."""

from __future__ import annotations

import pandas as pd
import pytest

from psyirt.data.gold import gold_table
from psyirt.errors import InputError

MAPPING = {"q1": "yes", "q2": "no"}


@pytest.mark.parametrize(
    "gold",
    [
        MAPPING,
        pd.Series(MAPPING),
        pd.Series(MAPPING, name="true_label").rename_axis("task"),
        pd.DataFrame({"gold": MAPPING}),
        pd.DataFrame({"item": ["q1", "q2"], "gold": ["yes", "no"]}),
        pd.DataFrame({"Item ID": ["q1", "q2"], "key": ["yes", "no"]}),
    ],
)
def test_every_shape_gives_one_table(gold: object) -> None:
    """A key that is read by position instead of by name grades everything wrong."""
    table = gold_table(gold)  # type: ignore[arg-type]
    assert table.index.name == "item"
    assert table["gold"].to_dict() == MAPPING


def test_empty_gold_is_none_and_the_rest_is_kept() -> None:
    """An empty cell is no gold label called "" or nan."""
    frame = pd.DataFrame({"item": ["q1", "q2", "q3"], "group": [1, 2, 2], "gold": ["yes", "", None]})
    table = gold_table(frame)
    assert table["gold"].tolist() == ["yes", None, None]
    assert list(table.columns) == ["gold", "group"]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (pd.DataFrame({"item": ["a", "a"], "gold": ["x", "y"]}), "item 'a' is in the gold table more than once"),
        (pd.DataFrame({"item": ["a", None], "gold": ["x", "y"]}), "row 2: no item is named"),
        (pd.DataFrame({"item": ["a"], "kind": ["x"]}), "no gold column.*Columns are: kind"),
        ([("a", "x")], "gold is a list"),
    ],
)
def test_unusable_gold_is_refused(gold: object, message: str) -> None:
    """Two rows for an item, nameless items and unknown columns have no one meaning."""
    with pytest.raises(InputError, match=message):
        gold_table(gold)  # type: ignore[arg-type]


def test_two_candidates_for_gold() -> None:
    """ "gold" wins over "key"; naming the other is refused while a second column would bear the name."""
    frame = pd.DataFrame({"item": ["a"], "key": ["x"], "gold": ["y"]})
    assert gold_table(frame)["gold"].tolist() == ["y"]
    with pytest.raises(InputError, match=r"a second column is called 'gold'.*'key' holds the gold labels"):
        gold_table(frame, label="key")
    assert gold_table(frame.drop(columns="gold"), label="key")["gold"].tolist() == ["x"]
