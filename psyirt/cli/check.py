"""``psyirt check``: every diagnostic of graded responses, as a page and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from psyirt.cli import check_arguments as given
from psyirt.cli.arguments import ColumnsOption, EncodingOption, ForceOption, JsonOption, columns, words
from psyirt.cli.fit import COLUMNS as COLUMNS
from psyirt.cli.outputs import CHECK_FILES, new_folder
from psyirt.cli.progress import shown_progress
from psyirt.cli.screen import Screen

if TYPE_CHECKING:
    from psyirt.diagnostics.overview.check_up import CheckUp

EXAMPLE = "psyirt check responses.csv --model 2PL --out checked"


def check_command(
    responses: given.ResponsesFile,
    out: given.Out,
    model: given.Model = "2PL",
    adjust: given.Adjust = "holm",
    alpha: given.Alpha = 0.05,
    draws: given.Draws = 100,
    seed: given.Seed = 0,
    file_format: given.FileFormat = None,
    columns_given: ColumnsOption = None,
    ignore: given.Ignore = None,
    missing: given.Missing = None,
    encoding: EncodingOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Fit a model and run every diagnostic: items, pairs, persons, the whole model, dimensions, reliability.

    RESPONSES holds 0, 1 and codes for missing, as for psyirt fit. DIR gets summary.txt to read and tables as CSV; the
    page is printed too.
    """
    codes, left_out = words(missing, "--missing"), words(ignore, "--ignore")
    named = columns(columns_given, COLUMNS)
    with new_folder(out, force, CHECK_FILES) as folder:
        from psyirt.cli.check_page import page_lines
        from psyirt.cli.check_tables import write_check
        from psyirt.data.readers import read_responses
        from psyirt.diagnostics.adjustment import ADJUSTMENTS
        from psyirt.diagnostics.overview.check_up import check
        from psyirt.models.registry import ITEM_TYPES

        ADJUSTMENTS[adjust]  # unknown names fail before the work
        kind, screen = ITEM_TYPES[model], Screen(as_json)
        how = {"missing": None if codes is None else ["", *codes], "ignore": left_out, "encoding": encoding}
        data = read_responses(responses, file_format, **how, **named)  # type: ignore[arg-type]
        screen.say(f"read {responses}: {data!r}", *data.notes, "")
        with shown_progress() as progress:
            checked = check(data, kind, adjust=adjust, alpha=alpha, draws=draws, seed=seed, progress=progress)
            page = page_lines(checked)
        settings = {"responses": str(responses), "model": model, "adjust": adjust, "alpha": alpha, "draws": draws}
        document, written = write_check(folder, checked, page, settings | {"seed": seed})
    screen.say(*page)
    _show_end(screen, out, written, checked)
    screen.document(document)


def _show_end(screen: Screen, out: Path, written: list[str], checked: CheckUp) -> None:
    """Where everything is."""
    screen.heading(f"Written to {out}: {', '.join(written)}")
    if checked.item_fit.flagged.size or checked.pairs.flagged.size:
        screen.say("psyirt build removes items that do not fit from a scale, for stated reasons.")
