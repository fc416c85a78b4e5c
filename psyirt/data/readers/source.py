"""What a file holds, whatever it is called: text (decoded) or Parquet, gzip or not."""

from __future__ import annotations

import contextlib
import gzip
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from psyirt.errors import InputError

GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
OTHER_MAGIC = {b"PK\x03\x04": "a zip or Excel file", b"\xff\xfe": "UTF-16 text", b"\xfe\xff": "UTF-16 text"}

_ENCODINGS = "Give one such as 'latin-1' or 'cp1252'"


@dataclass(frozen=True)
class Source:
    """A file's content.

    Attributes
    ----------
    path : str
        The file, for messages.
    content : str or bytes
        Text without its byte order mark, or the bytes of a Parquet file.
    """

    path: str
    content: str | bytes

    @property
    def is_parquet(self) -> bool:
        """Whether the content is a Parquet file."""
        return isinstance(self.content, bytes)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The file's endings, lower case, ``.gz`` left out."""
        return tuple(suffix.lower() for suffix in Path(self.path).suffixes if suffix.lower() != ".gz")


@contextlib.contextmanager
def in_file(path: str) -> Iterator[None]:
    """Put the file's name before the place of any InputError raised inside."""
    try:
        yield
    except InputError as error:
        place = f"{path}, {error.place}" if error.place else path
        raise type(error)(error.cause, place, error.remedy) from error


def open_source(path: str | os.PathLike[str], encoding: str | None = None) -> Source:
    """Read a whole file.

    Parameters
    ----------
    path : path
        The file; gzip is recognised by content.
    encoding : str, optional
        Of text; default UTF-8, with or without a byte order mark.

    Returns
    -------
    Source

    Raises
    ------
    InputError
        If the file is absent, a folder, unreadable, empty, cut short, or text in another encoding.
    """
    name = os.fspath(path)
    with in_file(name):
        raw = _unpacked(_bytes(Path(name)))
        if raw.startswith(PARQUET):
            if encoding is not None:
                raise InputError("encoding= does not apply to a Parquet file", "", "Leave it out")
            return Source(name, raw)
        source = Source(name, _decoded(raw, encoding))
        if ".parquet" in source.suffixes:
            raise InputError("is called .parquet but is no Parquet file", "", "Check the file, or rename it")
        return source


def _bytes(path: Path) -> bytes:
    """The file's bytes."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", "", "Check the path") from None
    except IsADirectoryError:
        raise InputError("is a folder, not a file", "", "Name a file in it") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", "", "Check the permissions") from error
    if not content.strip():
        raise InputError("is empty", "", "Check how the file was written")
    return content


def _unpacked(content: bytes) -> bytes:
    """Without gzip, where it was packed."""
    if not content.startswith(GZIP):
        return content
    try:
        unpacked = gzip.decompress(content)
    except EOFError:
        raise InputError("the gzip file is cut short", "", "Copy or download it again") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"the gzip file is damaged ({error})", "", "Copy or download it again") from None
    if not unpacked.strip():
        raise InputError("is empty", "", "Check how the file was written")
    return unpacked


def _decoded(content: bytes, encoding: str | None) -> str:
    """Text of the bytes."""
    if encoding is None:
        for magic, what in OTHER_MAGIC.items():
            if content.startswith(magic):
                remedy = "Give encoding='utf-16'" if "UTF" in what else "Save it as CSV"
                raise InputError(f"is {what}, not UTF-8 text", "", remedy)
        if b"\0" in content:
            raise InputError("is binary, not a table", "", "Give CSV, Parquet or JSON lines, gzip or not")
    try:
        return content.decode(encoding or "utf-8").removeprefix("\ufeff")
    except LookupError:
        raise InputError(f"no encoding is called {encoding!r}", "", _ENCODINGS) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"is not {(encoding or 'UTF-8').upper()} text (byte 0x{content[error.start]:02x})",
            f"line {line}",
            "Save it as UTF-8, or name its encoding, e.g. encoding='latin-1'",
        ) from None
    except ValueError as error:  # codecs that are no text encodings of files: undefined, punycode
        raise InputError(f"cannot be read as {encoding!r} ({error})", "", _ENCODINGS) from None
