"""Linear algebra on one thread, where a result must not depend on how many there are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache

import numpy as np
import scipy.linalg
from threadpoolctl import ThreadpoolController

# numpy and scipy bring a BLAS each, and only what is loaded can be limited: hence both imports
_WITH_BLAS = (np, scipy.linalg)


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
