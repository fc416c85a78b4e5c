"""Files that are either whole or absent: write beside the target, then rename."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from psyirt.errors import InputError


@contextlib.contextmanager
def atomic_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path that becomes `target` only if the block ends without an exception.

    Parameters
    ----------
    target : path
        The file to write; its folder must exist. A symbolic link stays one: what it points to is written.

    Yields
    ------
    pathlib.Path
        A path in the folder of the file with the same suffix.

    Raises
    ------
    InputError
        If `target` is a folder, or its folder is absent or cannot be written.
    """
    target = Path(target)
    if target.is_dir():
        raise InputError("is a folder, not a file", str(target), "Name a file")
    real = Path(os.path.realpath(target))
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{real.stem}-", suffix=".partial" + "".join(target.suffixes), dir=real.parent
        )
    except OSError as error:
        raise InputError(
            f"cannot write here ({error.strerror})", str(target), "Name a folder that exists and is writable"
        ) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        os.replace(temporary, real)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(target: str | os.PathLike[str], text: str) -> None:
    """Write `text` (UTF-8, ``\\n`` line ends) to `target` through :func:`atomic_path`."""
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def atomic_directory(target: str | os.PathLike[str], *, replace: bool = False) -> Iterator[Path]:
    """Give a temporary folder that becomes `target` only if the block ends without an exception.

    Parameters
    ----------
    target : path
        The folder to make, with the folders above it; those are taken away again if the block fails.
    replace : bool
        Whether an existing `target` may be replaced.

    Yields
    ------
    pathlib.Path
        An empty folder beside `target`.

    Raises
    ------
    InputError
        If `target` exists and `replace` is false, or its parent cannot be written.
    """
    target = Path(target)
    if (target.exists() or target.is_symlink()) and not replace:
        raise InputError("already exists", str(target), "Name another folder, or give --force to replace it")
    if target.exists() and not target.is_dir():
        raise InputError("is a file, not a folder", str(target), "Name another folder")
    with _folders_above(target):
        try:
            temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=".partial", dir=target.parent))
        except OSError as error:
            raise _not_writable(error, target) from error
        try:
            yield temporary
            temporary.chmod(0o777 & ~_umask())
            if target.exists() and not replace:
                raise InputError("was made by someone else meanwhile", str(target), "Name another folder")
            _swap(temporary, target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def _folders_above(target: Path) -> Iterator[None]:
    """Make the folders above `target`; if the block fails, take away those that were made and are still empty."""
    made: list[Path] = []
    done = False
    try:
        try:
            made += [folder for folder in target.parents if not folder.exists()]
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _not_writable(error, target) from error
        yield
        done = True
    finally:
        for folder in [] if done else made:
            with contextlib.suppress(OSError):  # it was never made, or somebody else has put something there
                folder.rmdir()


def _not_writable(error: OSError, place: Path) -> InputError:
    """The error for a folder that takes nothing."""
    return InputError(f"cannot write here ({error.strerror})", str(place), "Name a folder whose parent is writable")


def _swap(new: Path, target: Path) -> None:
    """Rename `new` to `target`; an old `target` is kept aside until the rename has succeeded."""
    if not (target.exists() or target.is_symlink()):
        os.replace(new, target)
        return
    old = new.with_name(new.name + ".old")
    os.replace(target, old)
    try:
        os.replace(new, target)
    except OSError:
        os.replace(old, target)
        raise
    if old.is_symlink():
        old.unlink()
    else:
        shutil.rmtree(old)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
