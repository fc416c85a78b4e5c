"""The file a scale lives in: JSON a person can read, with a digest that shows whether anybody changed it."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from psyirt.errors import DataWarning, InputError
from psyirt.foundation.arguments import require
from psyirt.foundation.files import write_text
from psyirt.scale.schema import NORMAL_VERSION, SCHEMA, VERSION, ScaleBlock, ScaleFile, version_of

_WIDTH = 118
_LONGEST_ROW = 60
# pydantic adds these to the place of a value that fits no alternative
_ALTERNATIVES = {"float", "int", "str", "bool"}
_REWRITE = "Build the scale again, or restore the file from a copy"


def write_artefact(blocks: Sequence[ScaleBlock], path: str | os.PathLike[str]) -> None:
    """Write scales to one file, whole or not at all.

    Parameters
    ----------
    blocks : sequence of ScaleBlock
        The scales.
    path : path
        The file; one that exists is replaced.

    Raises
    ------
    InputError
        If the folder is absent or cannot be written, or a name holds what is no character.
    """
    require(path, (str, os.PathLike), "the path", "scale file", "Name a file")
    version = version_of(blocks)
    content = {"schema": SCHEMA, "version": version, "scales": [_plain(block) for block in blocks]}
    ordered = {"schema": SCHEMA, "version": version, "digest": content_digest(content), "scales": content["scales"]}
    text = _rendered(ordered) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{error.object[error.start : error.end]!r} is no character", str(path), "Rename the item, label or scale"
        ) from error
    write_text(path, text)


def _plain(block: ScaleBlock) -> dict[str, Any]:
    """A scale as JSON has it; a density that is normal goes without saying."""
    content = block.model_dump(mode="json")
    if content["population"]["density"] is None:
        del content["population"]["density"]
    return content


def content_digest(content: dict[str, Any]) -> str:
    """SHA-256 over canonical JSON (sorted keys, no spaces) of everything but the digest itself."""
    kept = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def read_artefact(path: str | os.PathLike[str], *, force: bool = False) -> list[ScaleBlock]:
    """Read and check a scale file.

    Parameters
    ----------
    path : path
        The file.
    force : bool
        Whether a file that was edited after it was written is read all the same, with a DataWarning.

    Returns
    -------
    list of ScaleBlock

    Raises
    ------
    InputError
        If the file is absent, cut short, of another kind or version, edited (without `force`), or holds anything
        that is not understood; the message names the field.
    """
    require(path, (str, os.PathLike), "the path", "scale file", "Name a file")
    content = _parsed(path)
    if content.get("schema") != SCHEMA:
        raise InputError(f"not a scale file (schema is {content.get('schema')!r})", str(path), f"Expected {SCHEMA!r}")
    version = content.get("version")
    if version not in (NORMAL_VERSION, VERSION) or isinstance(version, bool):
        known = f"This psyirt reads versions {NORMAL_VERSION} and {VERSION}"
        remedy = f"{known}; use the psyirt that wrote the file, or a newer one"
        raise InputError(f"scale file of version {version!r}", str(path), remedy)
    try:
        edited = content.get("digest") != content_digest(content)
    except ValueError as error:  # a number too large for a float has become infinite
        raise InputError("holds a number that is not finite", str(path), _REWRITE) from error
    if edited and not force:
        raise InputError(
            "was edited after it was written: its content digest differs",
            str(path),
            "Restore it, or give force=True (--force on the command line) if the edit is meant",
        )
    try:
        scales = ScaleFile.model_validate_json(json.dumps(content)).scales
    except ValidationError as error:
        raise InputError(_first_fault(error), str(path), _REWRITE) from error
    if edited:
        warnings.warn(DataWarning("was edited after it was written; loaded because asked to", str(path)), stacklevel=3)
    return scales


def _parsed(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The file as a dictionary."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", str(path), "Name a scale file") from error
    except UnicodeDecodeError as error:
        raise InputError("not a text file (UTF-8)", str(path), "Name a scale file, scale.json") from error
    if not text.strip():
        raise InputError("is empty", str(path), _REWRITE)
    try:
        content = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"not complete JSON: cut short, or not a scale file ({at})", str(path), _REWRITE) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a scale file ({error})", str(path), _REWRITE) from error
    if not isinstance(content, dict):
        raise InputError("not a scale file (no JSON object)", str(path), _REWRITE)
    return content


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; one key twice would silently hide a value."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"field {name!r} occurs twice")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; not-a-number is written as null")


def _first_fault(error: ValidationError) -> str:
    """The first thing that was not understood, by field, and how many more there are."""
    faults = error.errors(include_url=False, include_input=False)
    first = faults[0]
    words = {"extra_forbidden": "is a field that psyirt does not know", "missing": "is missing"}
    said = words.get(first["type"], first["msg"].removeprefix("Value error, "))
    others = len({_place(fault["loc"]) for fault in faults}) - 1
    return f"{_place(first['loc'])}: {said}" + (f" (and {others} more faults)" if others else "")


def _place(path: tuple[int | str, ...]) -> str:
    """A field as scales[0].population.crowd; the names of a union's alternatives are no part of it."""
    where = ""
    for part in path:
        if isinstance(part, int):
            where += f"[{part}]"
        elif part.isidentifier() and part not in _ALTERNATIVES:
            where += f".{part}" if where else part
    return where or "file"


def _rendered(value: Any, indent: int = 0) -> str:
    """Indented JSON in which a list of plain values takes one line, or wrapped lines if it is long."""
    pad, inner = " " * indent, " " * (indent + 1)
    if isinstance(value, dict) and value:
        parts = [f"{inner}{json.dumps(str(key))}: {_rendered(part, indent + 1)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{pad}}}"
    if isinstance(value, list) and value:
        if not any(isinstance(part, (dict, list)) for part in value):
            return _one_line(value, inner, pad)
        return "[\n" + ",\n".join(inner + _rendered(part, indent + 1) for part in value) + f"\n{pad}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _one_line(values: list[Any], inner: str, pad: str) -> str:
    """A list of plain values: on one line if it is a row, else wrapped."""
    words = [json.dumps(value, ensure_ascii=False, allow_nan=False) for value in values]
    if len(words) <= _LONGEST_ROW:
        return "[" + ", ".join(words) + "]"
    lines, width = [""], 0
    for word in words:
        if width and width + len(word) + 2 > _WIDTH - len(inner):
            lines.append("")
            width = 0
        lines[-1] += ("" if not width else " ") + word + ","
        width += len(word) + 2
    return "[\n" + "\n".join(inner + line for line in lines).rstrip(",") + f"\n{pad}]"
