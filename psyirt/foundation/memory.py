"""Amounts of memory: as people write them, and as the machine has them."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from psyirt.errors import EstimationError, InputError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def memory_bytes(amount: int | str) -> int:
    """An amount of memory in bytes.

    Parameters
    ----------
    amount : int or str
        Bytes, or text such as ``"500MB"`` or ``"2 GiB"`` (MB is 1,000,000 bytes, MiB 1,048,576).

    Returns
    -------
    int

    Raises
    ------
    InputError
        If it is none, or not above 0.

    Examples
    --------
    >>> memory_bytes("1.5GB")
    1500000000
    """
    found = _AMOUNT.fullmatch(amount) if isinstance(amount, str) else None
    if isinstance(amount, int) and not isinstance(amount, bool):
        size = amount
    elif found and found[2].upper() in _UNITS:
        size = int(float(found[1]) * _UNITS[found[2].upper()])
    else:
        raise InputError(f"memory is {amount!r}", "memory", "Give bytes, or text such as '500MB' or '2GB'")
    if size <= 0:
        raise InputError(f"memory is {amount!r}", "memory", "Give more than nothing, such as '500MB'")
    return size


def shown_bytes(size: float) -> str:
    """An amount of memory in words: ``"1.3 GB"``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:,.3g} {unit}"
    return f"{size / 1e3:,.3g} kB"


def available_memory() -> int | None:
    """Bytes that this process can still take, by the operating system and by its group's limit; None if unknown."""
    amounts = []
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        amounts += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        amounts.append(limit - int((group / "memory.current").read_text(encoding="ascii")))
    if not amounts:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            amounts.append(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(amounts) if amounts else None


def refuse_beyond_machine(needed: float, place: str, remedy: str) -> None:
    """Refuse, before it starts, what takes more memory than there is.

    Raises
    ------
    EstimationError
    """
    there = available_memory()
    if there is not None and needed > there:
        left = shown_bytes(max(there, 0))
        raise EstimationError(f"this takes about {shown_bytes(needed)} of memory, and {left} are left", place, remedy)
