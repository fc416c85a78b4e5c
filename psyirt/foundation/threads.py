"""Threads that change no bit of a result: BLAS on one, and parts of a sum on several, added up in a fixed order."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

import numpy as np
import scipy.linalg
from threadpoolctl import ThreadpoolController

from psyirt.errors import InputError
from psyirt.foundation.arguments import require

# numpy and scipy bring a BLAS each, and only what is loaded can be limited: hence both imports
_WITH_BLAS = (np, scipy.linalg)

# items that one thread takes at a time where there are many
ITEMS_AT_ONCE = 4096

_threads: ContextVar[int] = ContextVar("psyirt_threads", default=1)

Part = TypeVar("Part")
Result = TypeVar("Result")


@cache
def _controller() -> ThreadpoolController:
    """The BLAS libraries of numpy and scipy; looked up once, since that takes milliseconds."""
    return ThreadpoolController()


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Run a block with single-threaded BLAS: the same bits on any machine's number of cores.

    It is often faster too: on a busy machine the threads of a BLAS wait for each other by spinning.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


def available_threads() -> int:
    """How many threads this process may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count() -> int:
    """How many threads :func:`in_order` uses at most."""
    return _threads.get()


@contextlib.contextmanager
def worker_threads(count: int | None) -> Iterator[None]:
    """Run a block in which :func:`in_order` uses `count` threads (by default as many as the process may).

    Raises
    ------
    InputError
        If `count` is no whole number above 0.
    """
    if count is not None:
        require(count, int, "threads", "threads", "Give a whole number, 1 or more")
        if count < 1:
            raise InputError(f"threads is {count}", "", "Give a whole number, 1 or more")
    token = _threads.set(available_threads() if count is None else count)
    try:
        yield
    finally:
        _threads.reset(token)


def slices(length: int, step: int) -> list[slice]:
    """Consecutive slices of at most `step` that cover `length`; their number depends on nothing else."""
    return [slice(first, min(first + step, length)) for first in range(0, length, step)]


def in_order(function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """The function's results for parts that do not depend on each other, in the order of the parts.

    Parameters
    ----------
    function : callable
        Must leave the interpreter's lock alone for long (compiled with nogil) to be any faster on several threads.
    parts : sequence
        Their number must not depend on the number of threads, if their results are to be added up.

    Returns
    -------
    list
    """
    workers = min(_threads.get(), len(parts))
    if workers <= 1:
        return [function(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, parts))
