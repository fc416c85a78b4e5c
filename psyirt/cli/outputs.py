"""The folder of a build: new, or a replaced earlier build, never anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from psyirt.errors import InputError
from psyirt.foundation.files import atomic_directory

SCALE_FILE = "scale.json"
# what a build writes, in the order in which it is told
BUILD_FILES = (
    SCALE_FILE,
    "summary.txt",
    "items.csv",
    "history.csv",
    "abilities.csv",
    "agreement.csv",
    "guessing.csv",
    "screening.csv",
    "build.json",
)


@contextlib.contextmanager
def build_folder(target: Path, force: bool) -> Iterator[Path]:
    """A folder that becomes `target` if the block ends well; bad targets are refused before the block begins.

    Parameters
    ----------
    target : path
        The folder to make.
    force : bool
        Whether an earlier build may be replaced. A folder that holds anything else never is.

    Yields
    ------
    pathlib.Path
        An empty folder.

    Raises
    ------
    InputError
        If `target` exists and `force` is false, holds files that no build wrote, is a file, or cannot be written.
    """
    if force and target.is_dir():
        others = sorted(path.name for path in target.iterdir() if path.name not in BUILD_FILES)
        if others:
            raise InputError(
                f"holds files that psyirt build did not write, such as {others[0]!r}", str(target),
                "--force replaces earlier builds only; name another folder",
            )  # fmt: skip
    with atomic_directory(target, replace=force) as folder:
        yield folder
