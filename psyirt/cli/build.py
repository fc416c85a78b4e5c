"""``psyirt build``: crowd labels in, calibrated scales out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from psyirt.cli import build_arguments as given
from psyirt.cli.arguments import (
    ColumnsOption,
    EncodingOption,
    ForceOption,
    JsonOption,
    LabelMapOption,
    NaLabelsOption,
    OptionsOption,
    columns,
    na_words,
    pairs,
    reasons,
    refuse_idle,
    words,
)
from psyirt.cli.guard import NO_SCALE
from psyirt.cli.outputs import new_folder
from psyirt.cli.progress import shown_progress
from psyirt.cli.screen import Screen

if TYPE_CHECKING:
    from psyirt.cli.crowd import Crowd, Reading
    from psyirt.data.attention import AttentionRule
    from psyirt.scale.build import ScaleBuild

EXAMPLE = (
    "psyirt build labels.csv --gold gold.csv --group gold "
    "--label-map e=entailment,n=neutral,c=contradiction --out snli-scales"
)

COLUMNS = ("worker", "item", "label")
# the 2016 study counted its three unanswered labels as wrong
UNANSWERED_OF_PRESET = {"lalor2016": "wrong"}


def build_command(
    labels: given.Labels,
    out: given.Out,
    gold: given.Gold = None,
    group: given.Group = None,
    label_map: LabelMapOption = None,
    options: OptionsOption = None,
    na_labels: NaLabelsOption = None,
    unanswered: given.Unanswered = None,
    only_gold: given.OnlyGold = False,
    attention: given.Attention = None,
    attention_correct: given.AttentionCorrect = None,
    attention_share: given.AttentionShare = None,
    preset: given.Preset = "default",
    threshold: given.Threshold = None,
    exclude: given.Exclude = None,
    adjust: given.Adjust = "holm",
    holdout: given.Holdout = None,
    seed: given.Seed = 0,
    recruitment: given.Recruitment = "",
    columns_given: ColumnsOption = None,
    encoding: EncodingOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Build calibrated scales from a crowd's labels.

    LABELS is wide (one row per worker, one column per item) or long (columns worker, item, label). The labels are
    graded against the gold; items that do not measure their group's one ability leave for stated reasons; what stays
    is written to DIR/scale.json, with the evidence beside it as CSV, JSON and text.

    Exit code 3: no group ended with a scale. The evidence is written all the same.
    """
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in locals().items()}
    excluded, named = reasons(exclude, "--exclude"), columns(columns_given, COLUMNS)
    thresholds = pairs(threshold, "--threshold") or {}
    with new_folder(out, force) as folder:
        reading = _reading(label_map, options, na_labels, unanswered, preset, only_gold)
        attention_rule = _attention(attention, attention_correct, attention_share)

        from psyirt.cli.build_report import show_build
        from psyirt.cli.build_tables import build_document, write_build
        from psyirt.cli.crowd import grade_crowd, show_crowd
        from psyirt.data.readers import read_labels

        screen, how = Screen(as_json), _rules(preset, adjust, thresholds)
        crowd = grade_crowd(read_labels(labels, gold, encoding=encoding, **named), reading, attention_rule)
        show_crowd(screen, crowd)
        sample = {"holdout": holdout or 0.0, "seed": seed, "recruitment": recruitment}
        build = _built(crowd, groups=group, exclude=excluded, **how, **sample)
        show_build(screen, build)
        document = build_document(build, crowd, _told(settings, reading))
        written = write_build(folder, build, crowd, document)
    _show_end(screen, out, written, scales=bool(build.scales))
    screen.document(document)
    if not build.scales:
        raise typer.Exit(NO_SCALE)


def _rules(preset: str, adjust: str, thresholds: Mapping[str, str]) -> dict[str, Any]:
    """The rules and the options of the build; unknown words fail here, before the labels are read."""
    from psyirt.cli.thresholds import with_thresholds
    from psyirt.scale.options import BuildOptions
    from psyirt.scale.rules import resolve_rules

    rules, options = with_thresholds(resolve_rules(preset), BuildOptions(adjust=adjust), thresholds)
    return {"rules": rules, "options": options}


def _built(crowd: Crowd, **options: Any) -> ScaleBuild:
    """The build, with its progress shown."""
    from psyirt.scale.build import build_scale

    with shown_progress() as progress:
        return build_scale(crowd.responses, progress=progress, **options)


def _told(settings: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """The settings that bear on the result, with what the preset chose."""
    told = {name: value for name, value in settings.items() if name not in ("out", "force", "as_json")}
    return told | {"unanswered": reading.unanswered}


def _reading(
    label_map: Sequence[str] | None,
    options: Sequence[str] | None,
    na_labels: Sequence[str] | None,
    unanswered: str | None,
    preset: str,
    only_gold: bool,
) -> Reading:
    """How the labels are read, from the texts of the options."""
    from psyirt.cli.crowd import Reading
    from psyirt.data.grading import Unanswered
    from psyirt.data.label_map import NA_LABELS
    from psyirt.foundation.arguments import require_word

    how = unanswered or UNANSWERED_OF_PRESET.get(preset.casefold(), "missing")
    require_word(how, Unanswered, "--unanswered")
    return Reading(
        label_map=pairs(label_map, "--label-map"),
        options=words(options, "--options"),
        na_labels=na_words(na_labels) or NA_LABELS,
        unanswered=how,  # type: ignore[arg-type]
        only_gold=only_gold,
    )


def _attention(items: Sequence[str] | None, correct: int | None, share: float | None) -> AttentionRule | None:
    """The attention rule; all items must be right where nothing else is said."""
    names = words(items, "--attention")
    if names is None:
        refuse_idle(correct, "--attention-correct", "--attention ITEM,...")
        refuse_idle(share, "--attention-share", "--attention ITEM,...")
        return None
    from psyirt.data.attention import AttentionRule

    return AttentionRule(names, len(names) if correct is None and share is None else correct, share)


def _show_end(screen: Screen, out: Path, written: Sequence[str], *, scales: bool) -> None:
    """Where everything is, and what to do next."""
    screen.heading(f"Written to {out}: {', '.join(written)}")
    if scales:
        screen.say(f"Next: psyirt score {out / 'scale.json'} predictions.csv")
    else:
        screen.say("No group ended with a scale, so there is no scale.json; the evidence above says why.")
