"""Seconds of R's mirt, recorded once on another run: absolute figures, named as recorded and not run here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recorded:
    """CPU seconds of one fit of R's mirt.

    Attributes
    ----------
    workload : str
        The workload of the same shape and model.
    seconds : float
        CPU seconds, single thread.
    errors : bool
        Whether they include exact standard errors.
    words : str
        What to know about it.
    """

    workload: str
    seconds: float
    errors: bool = False
    words: str = ""


MIRT_R = (
    Recorded("2pl-1000x90", 1.18),
    Recorded("2pl-1000x90", 5.4, errors=True),
    Recorded("2pl-10000x100", 5.0),
    Recorded("2pl-10000x100", 41.0, errors=True),
    Recorded("2pl-100000x50", 17.8),
    Recorded("2pl-1000000x40", 93.0),
    Recorded("3pl-1000x90", 6.6, words="without priors"),
    Recorded("sparse-14369x280", 1320.0, words="22 minutes, did not converge"),
)
