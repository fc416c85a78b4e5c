"""``psyirt score``: systems' predictions against calibrated scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from psyirt.cli import score_arguments as given
from psyirt.cli.arguments import (
    ColumnsOption,
    EncodingOption,
    JsonOption,
    LabelMapOption,
    NaLabelsOption,
    OptionsOption,
    columns,
    na_words,
    pairs,
    refuse_existing,
    refuse_idle,
    words,
)
from psyirt.cli.files import check_table_path, write_table
from psyirt.cli.screen import Screen
from psyirt.errors import InputError
from psyirt.foundation.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from psyirt.cli.predictions import Predictions
    from psyirt.scale.scale import Scale

EXAMPLE = "psyirt score snli-scales/scale.json predictions.csv --out scores.csv"
COLUMNS = ("system", "item", "label", "response")


def score_command(
    scale_file: given.ScaleFile,
    predictions_file: given.PredictionsFile,
    method: given.Method = "EAP",
    label_map: LabelMapOption = None,
    options: OptionsOption = None,
    na_labels: NaLabelsOption = None,
    graded: given.Graded = None,
    non_answer: given.NonAnswer = "wrong",
    absent: given.Absent = "error",
    scale: given.ScaleName = None,
    population: given.Population = "normal",
    out: given.Out = None,
    columns_given: ColumnsOption = None,
    encoding: EncodingOption = None,
    force: given.Force = False,
    as_json: JsonOption = False,
) -> None:
    """Score systems on calibrated scales, against the people behind them.

    PREDICTIONS is wide (one row per system, one column per item) or long (columns system, item, label). It may hold
    the items of several scales and pruned items: each scale takes its own. Labels are graded with the scale's key;
    files of 0 and 1 are taken as graded.
    """
    check_table_path(out)
    refuse_existing(out, force)
    named = columns(columns_given, COLUMNS)

    from psyirt.cli.score_report import scores_document, scores_table, show_scores
    from psyirt.cli.scoring import ScoringOptions, score_on
    from psyirt.scale.files import load_scales

    reading = (pairs(label_map, "--label-map"), words(options, "--options"), na_words(na_labels))
    how = ScoringOptions(method, non_answer, absent, population, *reading)  # type: ignore[arg-type]
    _refuse_no_scale(scale_file, predictions_file)
    screen, scales = Screen(as_json), load_scales(scale_file, force=force)
    predictions = _read(predictions_file, scales, graded, named, encoding)
    if predictions.labels is None:
        for text, option in zip(reading, ("--label-map", "--options", "--na-labels"), strict=True):
            refuse_idle(text, option, "a file of labels")
    taken = _taken(scales, words(scale, "--scale"), predictions)
    without = [name for name in scales if scale is None and name not in taken]
    _show_file(screen, predictions, predictions_file, without)
    scores = [score_on(each, predictions, how) for each in taken.values()]
    show_scores(screen, scores, how)
    if out is not None:
        write_table(scores_table(scores), out)
        screen.heading(f"Written to {out}")
    screen.document(
        {"scale_file": str(scale_file), "predictions": str(predictions_file)}
        | scores_document(scores, how, predictions)
    )


def _refuse_no_scale(scale_file: Path, predictions_file: Path) -> None:
    """Say what the first argument should be where it is a folder, or a table."""
    if scale_file.is_dir():
        there = scale_file / "scale.json"
        remedy = f"Give {there}" if there.is_file() else "Name the scale.json that psyirt build wrote"
        raise InputError("is a folder, not a scale file", str(scale_file), remedy)
    begins = _begins(scale_file)
    if begins and begins != b"{":
        swapped = "the two arguments may have changed places: " if _begins(predictions_file) == b"{" else ""
        raise InputError(
            "is no scale file", str(scale_file),
            f"{swapped}the scale.json comes first, then the predictions".capitalize(),
        )  # fmt: skip


def _begins(path: Path) -> bytes:
    """A file's first byte that is no blank; none where it is no file or has none."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def _read(
    path: Path, scales: Mapping[str, Scale], graded: bool | None, named: Mapping[str, str], encoding: str | None
) -> Predictions:
    """The predictions file, its answers to the items of all scales."""
    from psyirt.cli.predictions import read_predictions

    items = {item for scale in scales.values() for item in scale.item_names}
    answers = {label for scale in scales.values() for label in scale.label_set}
    return read_predictions(path, items, answers, graded=graded, columns=named, encoding=encoding)


def _taken(scales: Mapping[str, Scale], names: Sequence[str] | None, predictions: Predictions) -> dict[str, Scale]:
    """The scales to score on: those named, or all that the file has items of."""
    unknown = [name for name in names or () if name not in scales]
    if unknown:
        raise InputError(f"no scale is called {unknown[0]!r}", "--scale", f"Known: {', '.join(scales)}")
    if names is not None:
        return {name: scales[name] for name in names}
    there = set(predictions.item_names)
    return {name: scale for name, scale in scales.items() if there & set(scale.item_names)}


def _show_file(screen: Screen, predictions: Predictions, path: Path, without: Sequence[str]) -> None:
    """What the file holds, and what of it is not used."""
    from psyirt.data.columns import listed

    systems = counted(len(predictions.systems), "system")
    items = counted(len(predictions.item_names), "item that is", "items that are")
    screen.say(f"read {path}: {systems}, {items} on a scale; {predictions.how}")
    if predictions.unknown:
        names = listed(predictions.unknown, 4)
        count = counted(len(predictions.unknown), "item is", "items are")
        screen.say(f"  {count} on no scale (pruned, or no items) and not used: {names}")
    screen.say(*(f"  scale {name!r} is left out: the file has none of its items" for name in without))
