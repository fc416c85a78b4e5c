"""Infit and outfit of subjects against R mirt and plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from psyirt.diagnostics import person_fit
from psyirt.diagnostics.persons.mean_squares import standardised_square
from tests.diagnostics.calibrations import LSAT7_2PL, lsat_calibration
from tests.reference import person_fit as twin
from tests.scoring.instruments import as_items, random_answers, random_instrument

# R mirt 1.47, personfit of LSAT7 (2PL, EAP): pattern, infit, z, outfit, z
MIRT = """
00001 0.674563014149 -1.063963365   0.656262437059 -1.11177446361
00110 1.69574631115   1.9329202394  1.87915865754   1.97700815795
10101 0.860867746541 -0.151168438847 0.717571574121 -0.346355700927
11010 1.56203827271   1.43194555956 1.69194979008   1.43945828695
11111 0.213057976134 -0.954967502487 0.154238413383 -0.613132828843
"""


@pytest.mark.parametrize(("name", "at"), [("infit", 1), ("outfit", 3)])
def test_equal_to_mirt(name: str, at: int) -> None:
    """Weights exchanged, a variance for a standard deviation, a cube root forgotten."""
    calibration = lsat_calibration(7, LSAT7_2PL)
    assert calibration.responses is not None
    patterns = ["".join(map(str, row)) for row in calibration.responses.codes]
    table = person_fit(calibration, name).frame
    for line in MIRT.split("\n")[1:-1]:
        words = line.split()
        row = table.iloc[patterns.index(words[0])]
        assert row["statistic"] == pytest.approx(float(words[at]), abs=1e-6)
        assert row["z"] == pytest.approx(float(words[at + 1]), abs=1e-6)


def test_equal_to_plain_loops_with_missing_responses() -> None:
    """A missing answer counted into the mean."""
    rng = np.random.default_rng(8)
    instrument = random_instrument(rng, 8, 0.1, 0.9)
    responses = random_answers(rng, instrument, 15, missing=0.25)
    items = as_items(instrument.item_parameters)
    for name in ("infit", "outfit"):
        table = person_fit(instrument, name, responses=responses, scoring="MAP").frame
        for subject, row in zip(responses.subject_names, responses.codes, strict=True):
            pattern = [None if x < 0 else int(x) for x in row]
            expected = twin.mean_squares(items, pattern, float(table.loc[subject, "theta"]))
            assert table.loc[subject, "statistic"] == pytest.approx(expected[name], rel=1e-9)
            assert table.loc[subject, "z"] == pytest.approx(expected[f"z_{name}"], rel=1e-9, abs=1e-9)


def test_a_standard_deviation_beyond_the_cube_roots_reach() -> None:
    """A perfectly fitting outfit of .36 with q = 78 would get z = 26: the hardest item decides, not the answers."""
    z = standardised_square(np.array([0.3632, 0.3632, np.inf, 1.0]), np.array([78.0, np.sqrt(2.0), 1.0, 0.0]))
    assert z[0] == pytest.approx(z[1])
    assert z[0] == pytest.approx(-0.1365, abs=1e-3)  # mirt's value of such a subject
    assert np.isnan(z[2:]).all()
