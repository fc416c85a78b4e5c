"""The folder a command makes: new, or in place of an earlier one of its kind, never of anything else."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
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
# what a check writes
CHECK_FILES = (
    "summary.txt",
    "items.csv",
    "pairs.csv",
    "subjects.csv",
    "model.csv",
    "dimensions.csv",
    "eigenvalues.csv",
    "reliability.csv",
    "information.csv",
    "scores.csv",
    "check.json",
)
# what a demonstration keeps: the study as files, and the scales and scores as the other commands write them
SCALES_FOLDER = "scales"
DEMO_FILES = ("labels.csv", "gold.csv", "truth.csv", "predictions.csv", SCALES_FOLDER, "scores.csv", "demo.json")


@contextlib.contextmanager
def new_folder(target: Path, force: bool, files: Collection[str] = BUILD_FILES) -> Iterator[Path]:
    """A folder that becomes `target` if the block ends well; bad targets are refused before the block begins.

    Parameters
    ----------
    target : path
        The folder to make.
    force : bool
        Whether an earlier folder of the kind may be replaced. A folder that holds anything else never is.
    files : collection of str
        What a folder of the kind may hold.

    Yields
    ------
    pathlib.Path
        An empty folder.

    Raises
    ------
    InputError
        If `target` exists and `force` is false, holds other files, is a file, or cannot be written.
    """
    if force and target.is_dir():
        others = sorted(path.name for path in target.iterdir() if path.name not in files)
        if others:
            raise InputError(
                f"holds files that this command does not write, such as {others[0]!r}", str(target),
                "--force replaces only what an earlier run wrote; name another folder",
            )  # fmt: skip
    with atomic_directory(target, replace=force) as folder:
        yield folder
