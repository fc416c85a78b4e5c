"""Run the study: ``python -m validation.pruning --replications 50 --seed 1 --out DIR``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from psyirt.foundation.files import write_text
from validation.pruning.study import Design, found_share, null_share, run


def main(arguments: list[str] | None = None) -> int:
    """Simulate, build, count; print the tables and write pruning.json and pruning.md."""
    parser = argparse.ArgumentParser(prog="python -m validation.pruning", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for pruning.md and pruning.json")
    parser.add_argument("--workers", type=int, nargs="+", default=[500, 1000, 4000])
    parser.add_argument("--replications", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    results = []
    for workers in options.workers:
        for faulty in (False, True):
            design = Design(workers, options.replications, options.seed, faulty)
            frame = run(design, options.processes, _reporter(design))
            results.append(
                {
                    "workers": workers,
                    "faults planted": faulty,
                    "studies": options.replications,
                    "good items": int((frame["fault"] == "").sum()),
                    "good items removed": null_share(frame),
                    "faults found": found_share(frame),
                    "groups without a scale": float(frame.groupby(["seed", "group"])["no_scale"].first().mean()),
                }
            )
    page = _page(results)
    write_text(options.out / "pruning.json", json.dumps(results, indent=1) + "\n")
    write_text(options.out / "pruning.md", page)
    print(page)
    return 0


def _reporter(design: Design):
    def report(done: int) -> None:
        if done == design.replications or done % 10 == 0:
            print(f"pruning: {design.workers} workers, {done} of {design.replications} studies", file=sys.stderr)

    return report


def _page(results: list[dict]) -> str:
    lines = [
        "| workers | faults | good items removed | of them by rule | faults found | no scale |",
        "|---|---|---|---|---|---|",
    ]
    for row in results:
        removed = dict(row["good items removed"])
        total = removed.pop("any rule")
        by_rule = ", ".join(f"{rule} {share:.2%}" for rule, share in removed.items()) or "none"
        found = ", ".join(f"{fault} {share:.0%}" for fault, share in row["faults found"].items()) or "none planted"
        planted = "planted" if row["faults planted"] else "none"
        lines.append(
            f"| {row['workers']} | {planted} | {total:.2%} of {row['good items']} | {by_rule} | {found} "
            f"| {row['groups without a scale']:.1%} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
