"""Results must not depend on how many threads a BLAS library would like to use."""

from __future__ import annotations

import os
import subprocess
import sys

_SCRIPT = """
import hashlib, psyirt
fit = psyirt.fit_mml(psyirt.simulate_responses(600, 40, seed=1).responses)
print(hashlib.sha256(fit.x.tobytes() + fit.cov().matrix.tobytes()).hexdigest())
"""


def test_estimates_and_standard_errors_are_bit_equal_for_any_number_of_threads():
    """Threads split sums differently; a last bit that changes with the machine cannot be reproduced."""
    found = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(found) == 1
