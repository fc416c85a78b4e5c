"""Tables of raw labels, wide or long."""

from __future__ import annotations

from psyirt.data import columns
from psyirt.data.labels import CrowdLabels
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import Source, in_file
from psyirt.data.readers.tables import read_table
from psyirt.errors import InputError

WIDE_OPTIONS = frozenset({"subject", "ignore", "delimiter"})
LONG_OPTIONS = frozenset({"subject", "item", "label", "ignore", "delimiter"})


def read_wide_labels(source: Source, options: ReadOptions) -> CrowdLabels:
    """Labels from one row per worker and one column per item.

    Parameters
    ----------
    source : Source
        The file; its first column names the workers and is called ``worker``, ``subject`` or the like. An empty cell
        was not presented.
    options : ReadOptions
        ``subject`` (the workers' column), ``ignore``, ``delimiter``.

    Returns
    -------
    CrowdLabels

    Raises
    ------
    InputError
        If the file is no table, no column names the workers, or a worker has two rows.
    """
    frame = read_table(source, delimiter=options.delimiter, ignore=options.ignore or ())
    with in_file(source.path):
        frame, notes = columns.without_row_index(frame, options.subject)
        among = list(frame.columns) if options.subject is not None or notes else list(frame.columns[:1])
        worker = columns.find_column(among, columns.SUBJECT, options.subject)
        if worker is None:
            remedy = "Call it 'worker', or name the right column with worker="
            if frame[among[0]].duplicated().any():
                long = columns.repeated_rows_remedy(frame, "worker", "label")
                remedy = long if "item=" in long else remedy
            raise InputError(f"the first column ({among[0]!r}) does not look like the workers' names", "", remedy)
        return CrowdLabels.from_frame(frame, worker=worker, layout="wide").with_notes(notes)


def read_long_labels(source: Source, options: ReadOptions) -> CrowdLabels:
    """Labels from one row per worker and item.

    Parameters
    ----------
    source : Source
        The file; a row with an empty label was presented and not answered. A column ``gold`` is used.
    options : ReadOptions
        ``subject, item, label`` (column names), ``ignore``, ``delimiter``.

    Returns
    -------
    CrowdLabels

    Raises
    ------
    InputError
        If the file is no table, a column is not found, a pair occurs twice, or an item has two gold labels.
    """
    frame = read_table(source, delimiter=options.delimiter, ignore=options.ignore or ())
    with in_file(source.path):
        return CrowdLabels.from_frame(
            frame, worker=options.subject, item=options.item, label=options.label, layout="long"
        )
