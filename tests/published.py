"""Published pattern tables that many tests start from.

LSAT section 6 and section 7: five items each, 1,000 subjects (Bock & Lieberman, 1970; Bock & Aitkin, 1981).
Responses are coded 1 = correct, 0 = wrong.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LSAT6 = """
00000 3    00001 6    00010 2    00011 11   00100 1    00101 1    00110 3    00111 4    01000 1    01001 8
01011 16   01101 3    01110 2    01111 15   10000 10   10001 29   10010 14   10011 81   10100 3    10101 28
10110 15   10111 80   11000 16   11001 56   11010 21   11011 173  11100 11   11101 61   11110 28   11111 298
"""

_LSAT7 = """
00000 12   00001 19   00010 1    00011 7    00100 3    00101 19   00110 3    00111 17   01000 10   01001 5
01010 3    01011 7    01100 7    01101 23   01110 8    01111 28   10000 7    10001 39   10010 11   10011 34
10100 14   10101 51   10110 15   10111 90   11000 6    11001 25   11010 7    11011 35   11100 18   11101 136
11110 32   11111 308
"""


def _parse(text: str) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Pattern strings and counts, alternating, as arrays."""
    words = text.split()
    patterns = np.array([[int(digit) for digit in word] for word in words[::2]], dtype=np.int8)
    return patterns, np.array(words[1::2], dtype=np.int64)


def lsat6() -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """LSAT section 6: patterns (30, 5) and their frequencies (30,), which sum to 1,000."""
    return _parse(_LSAT6)


def lsat7() -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """LSAT section 7: patterns (32, 5) and their frequencies (32,), which sum to 1,000."""
    return _parse(_LSAT7)
