"""DIF on real data with groups, and how often items without DIF are flagged when groups differ in ability.

    python -m validation.diagnostics.dif --out DIR [--data DIR] [--quick]

The real data (hci, fims and mathexam14w as NAME.csv.gz, subject in the first column, with their groups in
NAME_people.csv.gz) are not part of the repository; without --data that part is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from psyirt.data.readers import read_responses
from psyirt.data.responses import Responses
from psyirt.diagnostics import dif
from psyirt.errors import InputError
from psyirt.foundation.files import write_text
from validation.diagnostics.tables import markdown

METHODS = ("MH", "logistic")
REAL = (("hci", "gender"), ("hci", "major"), ("fims", "country"), ("mathexam14w", "group"))
# how far the focal group's mean lies below; items with DIF, all of them harder for the focal group by `SHIFT` logits
IMPACTS, PLANTED, SHIFT = (0.0, 0.5, 1.0), (0, 2, 5), 0.8
SUBJECTS, ITEMS, SETS = 1000, 20, 40


def study(out: Path, quick: bool = False, data: Path | None = None, seed: int = 1) -> str:
    """Write dif.md and dif.json into `out`, and return the page."""
    parts = {"size and power": pd.DataFrame(simulated(quick, seed))}
    if data is not None:
        parts["real data"] = pd.DataFrame(real(data))
    page = "\n\n".join([_HEAD, *(f"## {name.capitalize()}\n\n{markdown(frame)}" for name, frame in parts.items())])
    plain = {name: frame.to_dict("records") for name, frame in parts.items()}
    write_text(out / "dif.json", json.dumps({"seed": seed, **plain}, indent=1) + "\n")
    write_text(out / "dif.md", page + "\n")
    return page


_HEAD = (
    f"# Differential item functioning\n\nSimulated: {SUBJECTS} subjects, half of them focal, {ITEMS} items of the 2PL; "
    f"*planted* items are {SHIFT} logits harder for the focal group, whose mean lies *impact* sd below. *good items*: "
    "share of items without DIF that have p below .05, and that are flagged (Holm, class B or C); *found*: share of "
    "planted items that are flagged."
)


def simulated(quick: bool, seed: int) -> Iterator[dict[str, object]]:
    """Rates over data sets."""
    for impact in IMPACTS:
        for planted in PLANTED:
            rows: dict[tuple[str, bool], list[tuple[float, float, float]]] = {}
            for number in range(5 if quick else SETS):
                rng = np.random.default_rng([seed, int(10 * impact), planted, number])
                responses, groups = _data(rng, impact, planted)
                for method in METHODS:
                    for purify in (False, True) if planted else (True,):
                        table = dif(responses, groups, method, focal=1, purify=purify)
                        good = np.arange(ITEMS) >= planted
                        flag, low = table["flag"].to_numpy(), table["p"].to_numpy() < 0.05
                        found = flag[~good].mean() if planted else np.nan
                        rates = (float(low[good].mean()), float(flag[good].mean()), float(found))
                        rows.setdefault((method, purify), []).append(rates)
            for (method, purify), rates in rows.items():
                low, flagged, found = np.mean(rates, axis=0)
                yield {
                    "impact": impact,
                    "planted": planted,
                    "method": method,
                    "purified": "yes" if purify else "no",
                    "good items, p < .05": f"{low:.3f}",
                    "good items flagged": f"{flagged:.3f}",
                    "found": "-" if np.isnan(found) else f"{found:.3f}",
                }
            print(f"dif: impact {impact:g}, {planted} planted", file=sys.stderr)


def _data(rng: np.random.Generator, impact: float, planted: int) -> tuple[Responses, list[int]]:
    focal = np.arange(SUBJECTS) % 2
    theta = rng.standard_normal(SUBJECTS) - impact * focal
    logit = np.exp(rng.normal(0.2, 0.3, ITEMS)) * (theta[:, None] - rng.standard_normal(ITEMS))
    logit[:, :planted] -= SHIFT * focal[:, None]
    return Responses.from_array((rng.random(logit.shape) < expit(logit)).astype(np.int8)), focal.tolist()


def real(folder: Path) -> Iterator[dict[str, object]]:
    """Flagged items, their classes and signs."""
    for name, column in REAL:
        paths = [folder / f"{name}{part}.csv.gz" for part in ("", "_people")]
        for path in paths:
            if not path.exists():
                raise InputError("is not there", str(path), "Give a folder with the data and the groups")
        responses = read_responses(paths[0])
        groups = pd.read_csv(paths[1], index_col=0)[column]
        for method in METHODS:
            table = dif(responses, groups, method)
            shown = [f"{item} {row['ets_class']}" for item, row in table.flagged.iterrows()]
            counts = table["ets_class"].str[0].value_counts()
            yield {
                "data": f"{name} by {column}, {len(groups)} x {len(table)}",
                "method": method,
                "A / B / C": " / ".join(str(counts.get(letter, 0)) for letter in "ABC"),
                "flagged": ", ".join(shown) or "none",
                "rounds": next(note for note in table.notes if "purif" in note),
            }


def main(arguments: list[str] | None = None) -> int:
    """Run the study and print its page; 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m validation.diagnostics.dif", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the page and the JSON file")
    parser.add_argument("--data", type=Path, help="folder of the real data")
    parser.add_argument("--quick", action="store_true", help="a few data sets only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        print(study(options.out, options.quick, options.data, options.seed))
    except InputError as error:
        print(f"dif: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
