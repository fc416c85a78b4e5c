"""Calibrations at known parameters that the tests of diagnostics share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from psyirt.data.responses import Responses
from psyirt.estimation.fixed import fix
from psyirt.models.parameters import ItemParameters
from psyirt.results.calibration import Calibration
from tests.small_data import lsat

# R mirt 1.47 at convergence: slopes and intercepts
LSAT6_2PL = (
    [0.825659544521706, 0.722744204070425, 0.89087453406644, 0.688367980062536, 0.656855953696017],
    [2.77323440520861, 0.990201198132068, 0.249147523112968, 1.28475692586887, 2.05327044709981],
)
LSAT7_2PL = (
    [0.987545899045381, 1.08083714219748, 1.70747766084142, 0.76498987735094, 0.735672721387657],
    [1.8558556438492, 0.807969591598919, 1.80520620277311, 0.485999802211558, 1.85445759076044],
)
LSAT7_RASCH = ([1.0] * 5, [1.86826464633509, 0.791006182937121, 1.46097949430634, 0.521506008944864, 1.99297481794794])
LSAT7_RASCH_VARIANCE = 1.02266149959314
LSAT7_1PL = (
    [1.0112675241982] * 5,
    [1.86826476266834, 0.791006237171376, 1.46097958858842, 0.521506046022511, 1.99297494063728],
)
LSAT7_3PL = (
    [1.08291291248689, 1.48714178489015, 2.07942633190072, 0.880045882088379, 0.806385067730259],
    [1.59244467006293, 0.370459888420966, 1.5663637554459, 0.107581972003003, 1.59342415422278],
    [0.194764972277771, 0.211989160006598, 0.1892473651835, 0.175212929079521, 0.198451389670414],
)


def lsat_calibration(
    section: int, parameters: tuple[list[float], ...], model: str = "2PL", variance: float = 1.0
) -> Calibration:
    """LSAT pattern table with frequencies, at given parameters."""
    responses, frequencies = lsat(section)
    bank = ItemParameters(responses.item_names, *parameters)
    return fix(bank, model, responses, weights=frequencies, latent_variance=variance)


def calibration_of(codes: NDArray[np.int8], slopes: object = 1.2, weights: object = None) -> Calibration:
    """A 2PL calibration of any responses (-1 missing) at slopes and evenly spread intercepts."""
    items = codes.shape[1]
    responses = Responses.from_array(codes)
    bank = ItemParameters(responses.item_names, np.broadcast_to(slopes, items), np.linspace(-1.0, 1.0, items))
    return fix(bank, "2PL", responses, weights=weights)
