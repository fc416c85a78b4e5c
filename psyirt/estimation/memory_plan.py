"""What a fit will take of memory: told before it starts, and kept within a limit where one is given."""

from __future__ import annotations

import numpy as np

from psyirt.data.packed_store import STATES, group_size
from psyirt.data.pattern_source import PatternSource, rows_at_once
from psyirt.data.sparse_patterns import SparsePatterns
from psyirt.data.stored_patterns import BLOCK_ROWS, StoredPatterns
from psyirt.errors import InputError
from psyirt.estimation.options import MMLOptions
from psyirt.estimation.problem import Problem
from psyirt.foundation.memory import refuse_beyond_machine, shown_bytes
from psyirt.foundation.threads import thread_count
from psyirt.likelihood import MOST_PARTS, has_many_nodes
from psyirt.models.base import Array

_NUMBER = 8
# points per unit of the range of sum scores, and at least
_POINTS, _FEWEST_POINTS = 4.0, 512
# numbers of an item that the M-step and start values hold; tables of items and nodes that are held at once
_PER_ITEM, _TABLES = 200, 6


def keep_within(problem: Problem, options: MMLOptions, slope: float = 1.0) -> None:
    """Refuse a fit that takes more memory than it may or there is; put packed answers aside if that helps.

    Parameters
    ----------
    problem : Problem
        On the nodes it will be worked out on.
    options : MMLOptions
        The limit.
    slope : float
        Average slope of the items.

    Raises
    ------
    InputError
        If the limit is too small: the message has the number that is needed.
    EstimationError
        If there is no limit and the machine has less than is needed.
    """
    limit, needed = options.memory_limit, needed_bytes(problem, slope)
    place = f"{problem.patterns.rows} x {problem.patterns.items} responses, {problem.grid.count} nodes"
    if limit is None:
        refuse_beyond_machine(needed, place, "Give memory=, fewer nodes, or fewer items and subjects")
        return
    if needed > limit and isinstance(problem.patterns, StoredPatterns):
        problem.patterns.put_aside()
        needed = needed_bytes(problem, slope)
    if needed > limit:
        raise InputError(
            f"memory is {shown_bytes(limit)}, and this fit takes {shown_bytes(needed)}",
            place,
            f"Give memory='{-(-needed // 10**6)}MB' or more, or fewer nodes",
        )


def needed_bytes(problem: Problem, slope: float = 1.0) -> int:
    """Bytes that a fit takes beside the responses it was given, about.

    Parameters
    ----------
    problem, slope
        See :func:`keep_within`.
    """
    patterns, nodes = problem.patterns, problem.grid.count
    common = (
        patterns.items * (_PER_ITEM + _TABLES * nodes) * _NUMBER + 3 * rows_at_once(patterns.items) * patterns.items
    )
    if problem.uses_scores:
        return common + _kept(patterns, _NUMBER) + _of_scores(patterns, nodes, slope)
    if isinstance(patterns, SparsePatterns):
        return common + 3 * _NUMBER * patterns.rows + (MOST_PARTS + 2) * 2 * patterns.items * nodes * _NUMBER
    return common + _kept(patterns, 0) + _of_groups(patterns, nodes)


def _kept(patterns: PatternSource, per_subject: int) -> int:
    """What packed answers take, and what is kept of each subject beside them."""
    if isinstance(patterns, StoredPatterns):
        return 0 if patterns.in_file else patterns.rows * patterns.row_bytes
    size = group_size(patterns.rows, patterns.is_complete, thin=False)
    return patterns.rows * (-(-patterns.items // size) + 3 * _NUMBER + per_subject)


def _block_rows(patterns: PatternSource) -> int:
    """Patterns that are worked on at once."""
    return min(patterns.rows, BLOCK_ROWS)


def _of_scores(patterns: PatternSource, nodes: int, slope: float) -> int:
    """An E-step on sum scores: tables of bytes, sums of each block of subjects, posteriors at the points."""
    groups = -(-patterns.items // 8)
    points = min(patterns.rows, int(_POINTS * slope * patterns.items) + _FEWEST_POINTS)
    blocks = -(-patterns.rows // BLOCK_ROWS)
    sums = (blocks + 2) * (points + 256 * groups) + 2 * points * nodes
    return sums * _NUMBER + thread_count() * _block_rows(patterns) * (groups + 4 * _NUMBER)


def _of_groups(patterns: PatternSource, nodes: int) -> int:
    """An E-step by groups of items: two tables of all combinations."""
    size = group_size(patterns.rows, patterns.is_complete, has_many_nodes(nodes))
    groups = -(-patterns.items // size)
    tables = 2.2 * groups * STATES[patterns.is_complete] ** size * (nodes + 7)
    return int(tables * _NUMBER) + _block_rows(patterns) * (3 * groups + 4 * _NUMBER)


def average_slope(problem: Problem, x: Array) -> float:
    """Mean size of the items' slopes at `x`."""
    return float(np.mean(np.abs(problem.layout.values(x)[:, 0])))
