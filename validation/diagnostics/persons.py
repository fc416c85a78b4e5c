"""Size and power of person fit: how many good subjects are flagged, and how many guessing workers are found."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from psyirt.data.responses import Responses
from psyirt.diagnostics import person_fit
from psyirt.errors import PsyirtWarning
from psyirt.estimation.mml import fit_mml
from psyirt.foundation.files import write_text
from psyirt.results.calibration import Calibration

# statistic, its options, how it is called on the page
METHODS = (
    ("lz*", {}, "lz* (WLE, skewed)"),
    ("lz*", {"scoring": "EAP"}, "lz* (EAP, skewed)"),
    ("lz*", {"reference": "normal"}, "lz* (WLE, normal)"),
    ("lz", {}, "lz (EAP)"),
    ("infit", {}, "infit (EAP)"),
    ("outfit", {}, "outfit (EAP)"),
    ("Guttman", {}, "Guttman errors"),
)
LEVELS = (0.05, 0.01, 0.001)
SUBJECTS = 1000
# what careless workers hit by chance, and how many of them there are where any are planted
CHANCE, CARELESS = 1.0 / 3.0, 0.05
_ABOUT = """# Person fit: size and power

Items are fitted to {subjects:,} subjects a replication, then the subjects are judged. Left: subjects that all fit, the
share of p-values (not adjusted) below a level. Right: 5 % of the subjects guess on every item (one in three right): the
share of them with p below .05, and the shares flagged with the false discovery rate kept to .05.
"""
_HEAD = (
    "| items | model | missing | mean ability | statistic | p < .05 | p < .01 | p < .001 | guessers, p < .05 "
    "| guessers flagged | others flagged |"
)


@dataclass(frozen=True)
class Design:
    """One condition.

    Attributes
    ----------
    items : int
        Length of the test.
    model : str
        "2PL" or "3PL" (then c = .2); what is simulated is what is fitted.
    missing : float
        Share of responses missing completely at random.
    easiness : float
        Mean of the abilities, so that tests are easier for the crowd than its mean 0.
    """

    items: int
    model: str
    missing: float = 0.0
    easiness: float = 0.0


DESIGNS = (
    Design(20, "2PL"),
    Design(20, "3PL"),
    Design(20, "2PL", easiness=1.0),
    Design(20, "2PL", missing=0.2),
    Design(90, "2PL"),
    Design(90, "3PL"),
    Design(90, "2PL", easiness=1.0),
    Design(90, "2PL", missing=0.2),
)


def simulate(design: Design, seed: int, careless: float) -> tuple[Responses, np.ndarray]:
    """A crowd's responses, and who of it guesses on every item."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, design.items, int(1000 * careless)]))
    a, b = rng.uniform(0.6, 2.0, design.items), rng.normal(size=design.items)
    theta = rng.normal(design.easiness, 1.0, (SUBJECTS, 1))
    c = 0.2 if design.model == "3PL" else 0.0
    correct = rng.random((SUBJECTS, design.items)) < c + (1.0 - c) / (1.0 + np.exp(-a * (theta - b)))
    guesses = np.arange(SUBJECTS) < careless * SUBJECTS
    correct[guesses] = rng.random((int(guesses.sum()), design.items)) < CHANCE
    codes = np.where(rng.random(correct.shape) < design.missing, -1, correct).astype(np.int8)
    return Responses.from_array(codes), guesses


def measure(design: Design, replications: int, seed: int) -> list[dict]:
    """Rejection rates of every method: of subjects that fit, and where 5 % guess, of both kinds after adjustment."""
    rows = []
    for name, options, label in METHODS:
        rows.append({"statistic": label, "name": name, "options": options, "p": [], "hit": [], "found": [], "lost": []})
    for k in range(replications):
        null, _ = simulate(design, seed + k, 0.0)
        mixed, guesses = simulate(design, seed + k, CARELESS)
        with warnings.catch_warnings():
            # now and then an item is constant or a slope runs away: that belongs to what is measured
            warnings.simplefilter("ignore", PsyirtWarning)
            fits: tuple[Calibration, Calibration] = (fit_mml(null, design.model), fit_mml(mixed, design.model))
        for row in rows:
            row["p"].append(person_fit(fits[0], row["name"], **row["options"])["p"].to_numpy())
            judged = person_fit(fits[1], row["name"], **row["options"])
            flag, p = judged["flag"].to_numpy(bool), judged["p"].to_numpy()
            row["hit"].append(np.mean(p[guesses] < LEVELS[0]))
            row["found"].append(flag[guesses].mean())
            row["lost"].append(flag[~guesses].mean())
    return [_summary(design, row) for row in rows]


def _summary(design: Design, row: dict) -> dict:
    p = np.concatenate(row["p"])
    tested = ~np.isnan(p)
    out = {"items": design.items, "model": design.model, "missing": design.missing, "easiness": design.easiness}
    out |= {"statistic": row["statistic"], "subjects": int(tested.sum())}
    out |= {f"below {level:g}": float(np.mean(p[tested] < level)) for level in LEVELS}
    out["guessers below 0.05"] = float(np.mean(row["hit"]))
    return out | {"guessers found": float(np.mean(row["found"])), "others flagged": float(np.mean(row["lost"]))}


def study(out: Path, quick: bool = False, seed: int = 1) -> pd.DataFrame:
    """Run every design; write persons.json and persons.md.

    Parameters
    ----------
    out : Path
        Folder to write to.
    quick : bool
        Two replications of each design and not ten.
    seed : int
        Of the first replication; each further one adds 1.

    Returns
    -------
    DataFrame
        One row per design and statistic.
    """
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for design in DESIGNS:
        print(f"persons: {design}", file=sys.stderr)
        rows += measure(design, 2 if quick else 10, seed)
    table = pd.DataFrame(rows)
    write_text(out / "persons.json", json.dumps(rows, indent=1) + "\n")
    write_text(out / "persons.md", page(table))
    return table


def page(table: pd.DataFrame) -> str:
    """The table for people."""
    lines = [_ABOUT.format(subjects=SUBJECTS), _HEAD, "|---" * _HEAD.count(" | ") + "|---|"]
    for row in table.to_dict("records"):
        rates = " | ".join(f"{row[f'below {level:g}']:.4f}" for level in LEVELS)
        lines.append(
            f"| {row['items']} | {row['model']} | {row['missing']:.0%} | {row['easiness']:g} | {row['statistic']} "
            f"| {rates} | {row['guessers below 0.05']:.0%} | {row['guessers found']:.0%} "
            f"| {row['others flagged']:.2%} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the study and print its page."""
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics.persons", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for persons.md and persons.json")
    parser.add_argument("--quick", action="store_true", help="two replications of each design and not ten")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(page(study(options.out, options.quick, options.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
