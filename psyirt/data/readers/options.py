"""What a caller may say about a file, and which format each word applies to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

from psyirt.data.columns import listed
from psyirt.data.readers.source import Source
from psyirt.errors import InputError

T = TypeVar("T")

MISSING_CODES = ("", "NA", "N/A", "NaN", "null", ".", "-9", "-1")
"""Cells of a table of responses that mean "missing", whatever their case."""


@dataclass(frozen=True)
class ReadOptions:
    """What the caller said; None where nothing.

    Attributes
    ----------
    subject, item, response, label : str or None
        Column names.
    missing : tuple of str or None
        Missing codes.
    ignore : tuple of str or None
        Columns to leave out.
    delimiter : str or None
        Between the cells of delimited text.
    sparse : bool or None
        Whether responses are kept one by one.
    """

    subject: str | None = None
    item: str | None = None
    response: str | None = None
    label: str | None = None
    missing: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    delimiter: str | None = None
    sparse: bool | None = None

    @property
    def missing_codes(self) -> tuple[str, ...]:
        """The missing codes in force."""
        return MISSING_CODES if self.missing is None else self.missing


@dataclass(frozen=True)
class Format(Generic[T]):
    """A file format.

    Attributes
    ----------
    read : callable
        (Source, ReadOptions) -> what the format holds.
    options : frozenset of str
        The fields of ReadOptions that mean something for this format.
    """

    read: Callable[[Source, ReadOptions], T]
    options: frozenset[str]

    def __call__(self, source: Source, options: ReadOptions, name: str) -> T:
        """Read; an option that does not apply is refused rather than ignored."""
        said = {field.name for field in fields(options) if getattr(options, field.name) is not None}
        idle = sorted(said - self.options)
        if idle:
            known = listed([f"{option}=" for option in sorted(self.options)]) or "none"
            raise InputError(f"{idle[0]}= does not apply to the {name} format", source.path, f"Its options: {known}")
        return self.read(source, options)
