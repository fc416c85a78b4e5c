"""The rates as a page (Markdown) and as a file (JSON)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import psyirt
from psyirt.foundation.files import write_text
from validation.diagnostics.judge import Rate
from validation.diagnostics.missing import IN_WORDS


def write(found: Mapping[str, Sequence[Rate]], seed: int, folder: Path) -> tuple[Path, Path]:
    """Write diagnostics.md and diagnostics.json into `folder`; each is whole or absent."""
    page, data = folder / "diagnostics.md", folder / "diagnostics.json"
    write_text(data, json.dumps(as_json(found, seed), indent=1, allow_nan=False) + "\n")
    write_text(page, as_markdown(found, seed))
    return page, data


def as_json(found: Mapping[str, Sequence[Rate]], seed: int) -> dict[str, object]:
    """Everything on the page, as plain values."""
    studies = {title: [_plain(rate) for rate in rates] for title, rates in found.items()}
    return {"psyirt": psyirt.__version__, "seed": seed, "studies": studies}


def _plain(rate: Rate) -> dict[str, object]:
    values = asdict(rate)
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in values.items()}


def as_markdown(found: Mapping[str, Sequence[Rate]], seed: int) -> str:
    """The page."""
    parts = [f"# Diagnostics: size and power\n\npsyirt {psyirt.__version__}, seed {seed}; nominal level .05."]
    for title, rates in found.items():
        parts.append(f"## {title}")
        sizes, powers = [each for each in rates if not each.planted], [each for each in rates if each.planted]
        if powers:
            parts.append(_table(["condition", "test", "found (SE)", "tests", "data sets"], map(_power, powers)))
        if sizes:
            head = "of good items" if powers else "rejected (SE)"
            columns = ["condition", "test", head, "at .01", "valid", "per item", "by chance", "tests", "not testable"]
            parts.append(_table(columns, map(_size, sizes)))
    words = "\n".join(f"- *{name}*: {meaning}" for name, meaning in IN_WORDS.items())
    parts.append(f"## Missing responses\n\n{words}")
    return "\n\n".join(parts) + "\n"


def _power(rate: Rate) -> list[str]:
    cells = [rate.condition, rate.test, f"{rate.rate:.3f} ({rate.error:.3f})", str(rate.tests)]
    return [*cells, str(rate.replications)]


def _size(rate: Rate) -> list[str]:
    return [
        rate.condition,
        rate.test,
        f"{rate.rate:.4f} ({rate.error:.4f})",
        f"{rate.at_one_percent:.4f}",
        "yes" if rate.met else "nearly" if rate.valid else "no",
        f"{rate.lowest:.3f} to {rate.highest:.3f}",
        f"{rate.chance_lowest:.3f} to {rate.chance_highest:.3f}",
        str(rate.tests),
        str(rate.untested),
    ]


def _table(head: list[str], rows: object) -> str:
    lines = [head, ["---"] * len(head), *rows]  # type: ignore[misc]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
