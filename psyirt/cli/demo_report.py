"""The demonstration for people: what was simulated, what was found, what was lost, how the systems stand."""

from __future__ import annotations

from typing import Any

from psyirt.cli.build_report import show_build
from psyirt.cli.crowd import show_crowd
from psyirt.cli.demo_run import Demonstration
from psyirt.cli.predictions import Predictions
from psyirt.cli.score_report import scores_document, show_scores
from psyirt.cli.scoring import ScoringOptions
from psyirt.cli.screen import Screen


def show_demo(screen: Screen, result: Demonstration) -> None:
    """Print the demonstration from the simulation to the comparison with its truth.

    Parameters
    ----------
    screen : Screen
        Where to.
    result : Demonstration
        What happened.
    """
    screen.heading("1. A simulated crowd study")
    screen.say(repr(result.study))
    show_crowd(screen, result.crowd)
    screen.heading("2. The scales")
    show_build(screen, result.build)
    screen.heading("3. Three simulated systems (true theta: " + _truth(result) + ")")
    show_scores(screen, result.scores, ScoringOptions())
    screen.heading("4. Against the truth")
    show_truth(screen, result)


def show_truth(screen: Screen, result: Demonstration) -> None:
    """Print which planted faults were found and which good items were lost."""
    rows: list[tuple[str, ...] | None] = [
        (str(fault), str(row["planted"]), str(row["found"])) for fault, row in result.faults.iterrows()
    ]
    planted, found = result.faults.sum()
    screen.table(("planted fault", "planted", "found"), [*rows, None, ("in all", str(planted), str(found))])
    lost = f"{len(result.lost)} of {result.good_items} good items were lost"
    screen.say(f"{found} of {planted} planted faults were found; {lost}.")
    screen.say(*(f"  lost: {item}, {row['rule']}: {row['reason']}" for item, row in result.lost.iterrows()))


def _truth(result: Demonstration) -> str:
    return ", ".join(f"{name} {theta:g}" for name, theta in result.study.system_theta.items())


def demo_document(result: Demonstration) -> dict[str, Any]:
    """The demonstration for programs."""
    planted, found = result.faults.sum()
    systems = Predictions(result.study.systems, None, (), "labels")
    return {
        "seed": result.study.seed,
        "workers": len(result.study.theta),
        "workers_removed": 0 if result.crowd.screening is None else len(result.crowd.screening.removed),
        "workers_careless": len(result.study.careless),
        "scales": list(result.build.scales),
        "faults": result.faults,
        "faults_planted": planted,
        "faults_found": found,
        "good_items": result.good_items,
        "good_items_lost": len(result.lost),
        "lost": result.lost,
        "history": result.build.history,
        "true_theta": dict(result.study.system_theta),
        "scores": scores_document(result.scores, ScoringOptions(), systems),
    }
