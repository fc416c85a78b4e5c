"""A build for people: quality first, then what left and why."""

from __future__ import annotations

from psyirt.cli.screen import Screen, number
from psyirt.foundation.words import counted
from psyirt.scale.build import ScaleBuild
from psyirt.scale.description import shape_lines
from psyirt.scale.group_builder import GroupBuild
from psyirt.scale.holdout import holdout_line

# removals that are printed; more would push the rest of the report off the screen
_SHOWN = 30


def show_build(screen: Screen, build: ScaleBuild) -> None:
    """Print every group's outcome.

    Parameters
    ----------
    screen : Screen
        Where to.
    build : ScaleBuild
        The outcome.
    """
    for group in build.groups.values():
        _show_outcome(screen, group)
        _show_removals(screen, group)
        _show_evidence(screen, group)


def _show_outcome(screen: Screen, group: GroupBuild) -> None:
    """Whether there is a scale, and how good it is."""
    if group.scale is None:
        screen.heading(f"{group.name}: NO SCALE ({counted(len(group.items_given), 'item')} given)")
        screen.say(*(f"  because {reason}" for reason in group.reasons))
        return
    kept = len(group.scale.item_names)
    screen.heading(f"{group.name}: a scale of {kept} of {counted(len(group.items_given), 'item')}")
    screen.say(*(f"  {line}" for line in group.scale.quality.lines()))


def _show_removals(screen: Screen, group: GroupBuild) -> None:
    """The items that were removed, in order."""
    if not group.history:
        screen.say("  no item was removed")
        return
    rows = [(str(row["iteration"]), str(row["item"]), str(row["rule"]), str(row["reason"])) for row in group.history]
    screen.say(f"  {counted(len(rows), 'item')} removed:")
    screen.table(("round", "item", "rule", "because"), rows[:_SHOWN], left=4)
    if len(rows) > _SHOWN:
        screen.say(f"  and {len(rows) - _SHOWN} more, all in history.csv")


def _show_evidence(screen: Screen, group: GroupBuild) -> None:
    """Guessing, dimensions, held-out fit, notes."""
    screen.say(*(f"  {line}" for line in evidence_lines(group)))


def evidence_lines(group: GroupBuild) -> list[str]:
    """What else a reader should know of a group, in sentences."""
    lines = []
    if group.guessing is not None:
        frame = group.guessing.frame
        found = [str(item) for item in frame.index[frame["flag"]]]
        named = f" ({', '.join(found)})" if found else ""
        lines.append(
            f"guessing: {len(found)} of {counted(len(frame), 'item')} {'needs' if len(found) == 1 else 'need'} "
            f"a lower asymptote{named}"
        )
        power = float(frame["power"].median())
        lines.append(
            f"  power to find guessing at chance level: median {power:.2f} over the items"
            + ("; items not flagged are untested rather than cleared" if power < 0.8 else "")
        )
    if group.eigenvalues is not None and len(group.eigenvalues) > 1:
        first, second = map(float, group.eigenvalues[:2])
        lines.append(f"tetrachoric eigenvalues {first:.2f}, {second:.2f} (ratio {number(first / second, 1)})")
    if group.scale is not None:
        lines += shape_lines(group.scale)
    if group.holdout is not None:
        lines.append(holdout_line(group.holdout))
    return lines + [f"note: {note}" for note in group.notes]
