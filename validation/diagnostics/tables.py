"""A table on a page of a study."""

from __future__ import annotations

import pandas as pd


def markdown(frame: pd.DataFrame, digits: int | None = None) -> str:
    """The rows of a table in Markdown, without the index.

    Parameters
    ----------
    frame : DataFrame
        What to show.
    digits : int, optional
        Decimals of floating-point numbers; as they are by default.
    """
    cells = [list(frame.columns), *frame.to_numpy().tolist()]
    rows = [
        [f"{x:.{digits}f}" if digits is not None and isinstance(x, float) else str(x) for x in row] for row in cells
    ]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * frame.shape[1] + "|", *lines[1:]])
