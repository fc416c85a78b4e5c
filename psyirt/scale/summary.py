"""A build in words: quality first, then what left and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psyirt.scale.holdout import holdout_line

if TYPE_CHECKING:
    from psyirt.scale.build import ScaleBuild
    from psyirt.scale.group_builder import GroupBuild

# removals under one rule that are told one by one
_SHOWN = 30


def build_summary(build: ScaleBuild) -> str:
    """One paragraph per group.

    Parameters
    ----------
    build : ScaleBuild
        The outcome.

    Returns
    -------
    str
    """
    return "\n\n".join(_group(group) for group in build.groups.values())


def _group(group: GroupBuild) -> str:
    if group.scale is None:
        lines = [f"{group.name}: NO SCALE ({len(group.items_given)} items given)"]
        lines += [f"  because {reason}" for reason in group.reasons]
    else:
        lines = [f"{group.name}: {len(group.scale.item_names)} of {len(group.items_given)} items retained"]
        lines += ["  " + line for line in group.scale.quality.lines()]
    lines += _guessing(group)
    for rule, rows in _by_rule(group).items():
        lines.append(f"  left under '{rule}' ({len(rows)}):")
        lines += [f"    round {row['iteration']}: {row['item']} ({row['reason']})" for row in rows[:_SHOWN]]
        lines += [f"    and {len(rows) - _SHOWN} more, all in the history"] if len(rows) > _SHOWN else []
    if group.eigenvalues is not None and len(group.eigenvalues) > 1:
        first, second = group.eigenvalues[:2]
        lines.append(f"  tetrachoric eigenvalues {first:.2f}, {second:.2f} (ratio {first / second:.1f})")
    if group.holdout is not None:
        lines.append(f"  {holdout_line(group.holdout)}")
    lines += [f"  note: {note}" for note in group.notes]
    return "\n".join(lines)


def _by_rule(group: GroupBuild) -> dict[str, list[dict[str, object]]]:
    """History rows by rule, in order of first use."""
    rules: dict[str, list[dict[str, object]]] = {}
    for row in group.history:
        rules.setdefault(str(row["rule"]), []).append(row)
    return rules


def _guessing(group: GroupBuild) -> list[str]:
    """How many items need a guessing parameter, with the power of the test."""
    if group.guessing is None:
        return []
    frame = group.guessing.frame
    found = [str(item) for item in frame.index[frame["flag"]]]
    power = frame["power"].median()
    text = f"  guessing: {len(found)} of {len(frame)} items need a lower asymptote"
    if found:
        text += f" ({', '.join(found)})"
    if power < 0.8:
        text += f"; median power only {power:.2f}, so the others are untested rather than cleared"
    return [text]
