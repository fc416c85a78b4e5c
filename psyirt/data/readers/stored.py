"""Responses that are left in their file because they would take too much memory."""

from __future__ import annotations

import os

from psyirt.data.readers.blocks import ArrayBlocks, ParquetBlocks, block_reader
from psyirt.data.readers.options import ReadOptions
from psyirt.data.readers.source import in_file
from psyirt.data.stored_responses import StoredResponses
from psyirt.errors import InputError
from psyirt.foundation.memory import shown_bytes


def read_stored(path: str, file_format: str | None, options: ReadOptions, limit: int) -> StoredResponses | None:
    """Responses that would take more than half of the memory there is for them, left in their file.

    Parameters
    ----------
    path : str
        The file.
    file_format : str or None
        Where the caller said so.
    options : ReadOptions
        What the caller said; ``subject`` and ``ignore`` apply.
    limit : int
        Bytes.

    Returns
    -------
    StoredResponses or None
        None where they are to be read as usual. A NumPy file is always left where it is.

    Raises
    ------
    InputError
        If the file cannot be read in blocks, and is itself larger than the limit.
    """
    with in_file(path):
        reader = block_reader(path, file_format, options)
        if reader is None:
            size = os.path.getsize(path) if os.path.isfile(path) else 0
            if size > limit:
                told = f"the file has {shown_bytes(size)}, memory is {shown_bytes(limit)}"
                raise InputError(
                    f"{told}, and it cannot be read in blocks",
                    "",
                    "Write it as a wide Parquet table of 0, 1 and null, or leave memory= out",
                )
            return None
        if not isinstance(reader, ArrayBlocks) and reader.rows * len(reader.item_names) <= limit / 2:
            return None
    for name in ("item", "response", "missing", "delimiter", "sparse"):
        if getattr(options, name) is not None:
            raise InputError(f"{name}= does not apply to responses that stay in their file", path, "Leave it out")
    if isinstance(reader, ParquetBlocks):
        reader.refuse_repeated_subjects()
    responses = StoredResponses(reader)
    # every cell is looked at once: what is none of 0, 1 and missing is found here, and not in the middle of a fit
    if not responses.survey.empty.size:
        raise InputError("has no rows", path, "Check how the file was written")
    return responses
