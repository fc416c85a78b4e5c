"""Scale files: one or several scales in one JSON document."""

from __future__ import annotations

import os
from collections.abc import Mapping

from psyirt.errors import InputError
from psyirt.scale.artefact import read_artefact, write_artefact
from psyirt.scale.records import scale_fields, to_block
from psyirt.scale.scale import Scale


def save_scales(scales: Mapping[str, Scale], path: str | os.PathLike[str]) -> None:
    """Write several scales to one JSON file, whole or not at all.

    Parameters
    ----------
    scales : mapping of name to Scale
        One or more; the names are the scales' own.
    path : path
        The file; one that exists is replaced.

    Raises
    ------
    InputError
        If there is no scale, a name is not the scale's own, or the folder cannot be written.
    """
    if not scales:
        raise InputError("no scale to write", str(path), "Give at least one")
    for name, scale in scales.items():
        if name != scale.name:
            raise InputError(f"scale {scale.name!r} is called {name!r} here", str(path), "Use its own name")
    write_artefact([to_block(scale) for scale in scales.values()], path)


def load_scales(path: str | os.PathLike[str], *, force: bool = False) -> dict[str, Scale]:
    """All scales of a file.

    Parameters
    ----------
    path : path
        Written by :meth:`Scale.save` or :func:`save_scales`.
    force : bool
        Whether a file that was edited after it was written is loaded all the same, with a DataWarning.

    Returns
    -------
    dict of str to Scale
        In the order of the file.

    Raises
    ------
    InputError
        If the file is absent, cut short, edited, or holds anything that is not understood: one line, naming the field.
    """
    scales = {}
    for block in read_artefact(path, force=force):
        try:
            scales[block.name] = Scale(**scale_fields(block))
        except InputError as error:
            place = f"{path}: scale {block.name!r}" + (f", {error.place}" if error.place else "")
            raise InputError(error.cause, place, error.remedy) from error
    return scales


def load_scale(path: str | os.PathLike[str], name: str | None = None, *, force: bool = False) -> Scale:
    """One scale of a file.

    Parameters
    ----------
    path : path
        Written by :meth:`Scale.save` or :func:`save_scales`.
    name : str, optional
        Which scale; needed where the file holds several.
    force : bool
        Whether a file that was edited after it was written is loaded all the same, with a DataWarning.

    Returns
    -------
    Scale

    Raises
    ------
    InputError
        As :func:`load_scales`; also if the name is unknown, or the file holds several scales and no name was given.
    """
    scales = load_scales(path, force=force)
    known = ", ".join(repr(each) for each in scales)
    if name is None and len(scales) > 1:
        raise InputError(
            f"holds {len(scales)} scales", str(path), f"Name one of: {known}, or read them all with load_scales"
        )
    if name is not None and name not in scales:
        raise InputError(f"no scale is called {name!r}", str(path), f"Known: {known}")
    return scales[name] if name is not None else next(iter(scales.values()))
