"""Run the study: ``python -m validation.lalor2016 --data DIR --out DIR``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from psyirt.errors import InputError, PsyirtError
from psyirt.foundation.files import write_text
from validation.lalor2016.inputs import GOLD, LABELS, PUBLISHED, read_study
from validation.lalor2016.svg import need_charts

PAGE, RESULTS = "lalor2016.html", "results.json"


def main(arguments: list[str] | None = None) -> int:
    """Write the page and the numbers; 2 for input that cannot be used, and then nothing is written."""
    options = _options(arguments)
    try:
        study = read_study(options.data)
        need_charts()
        _make(options.out)
        # scipy and the builder take a second to load, which an error need not wait for
        from validation.lalor2016.outcome import as_json, measure
        from validation.lalor2016.page import as_html

        outcome = measure(study, lambda what: print(f"lalor2016: {what}", file=sys.stderr, flush=True))
        page, numbers = as_html(outcome), as_json(outcome)
        write_text(options.out / RESULTS, numbers)
        write_text(options.out / PAGE, page)
    except PsyirtError as error:
        print(f"lalor2016: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("lalor2016: interrupted; no half-written file was left behind", file=sys.stderr)
        return 130
    agreeing = len(outcome.comparisons) - len(outcome.differing)
    print(f"{agreeing} of {len(outcome.comparisons)} numbers agree with the paper or R mirt; these do not:")
    for each in outcome.differing:
        print(f"  {each.what}: {each.ours_shown}, printed {each.theirs_shown}")
    print(f"Written: {options.out / PAGE}, {options.out / RESULTS}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m validation.lalor2016",
        description="Reproduce Lalor, Wu & Yu (2016) from the crowd's labels, as one page with pictures.",
    )
    names = f"{LABELS}, {GOLD}, {PUBLISHED}"
    parser.add_argument("--data", type=Path, required=True, help=f"folder with {names} (see README.md here)")
    parser.add_argument("--out", type=Path, required=True, help=f"folder for {PAGE} and {RESULTS}")
    return parser.parse_args(arguments)


def _make(folder: Path) -> None:
    """Make the folder, and say now rather than after the work that nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError("is a file, not a folder", str(folder), "Name another folder") from error
    except OSError as error:
        raise InputError(f"cannot write here ({error.strerror})", str(folder), "Name another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError("cannot write here", str(folder), "Name a folder that is writable")


if __name__ == "__main__":
    sys.exit(main())
