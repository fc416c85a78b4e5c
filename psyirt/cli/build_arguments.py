"""The arguments of ``psyirt build``, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Labels = Annotated[
    Path, typer.Argument(metavar="LABELS", help="The crowd's labels: CSV or Parquet, wide or long; .gz too.")
]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to make.")]
Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold",
        metavar="FILE",
        help="The answer key: columns item and gold, and what else is known of the items (n_options, text). "
        "Not needed for a long table with a column gold.",
    ),
]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COLUMN", help="Column of the gold table: one scale for each of its values."),
]
Preset = Annotated[str, typer.Option("--preset", metavar="NAME", help="Pruning rules: default or lalor2016.")]
Threshold = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        metavar="RULE.FIELD=VALUE,...",
        help="A rule's threshold, e.g. too-flat.min_communality=0.15, or the build's own, e.g. scale.min_items=8.",
    ),
]
Unanswered = Annotated[
    str | None,
    typer.Option("--unanswered", metavar="HOW", help="Counts as missing (default) or wrong (default of lalor2016)."),
]
OnlyGold = Annotated[bool, typer.Option("--only-gold", help="Leave out items without gold.")]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="ITEM=REASON", help="Leave an item out for a reason of yours; repeatable."),
]
Attention = Annotated[
    list[str] | None,
    typer.Option("--attention", metavar="ITEM,...", help="Attention-check items; workers who fail them leave."),
]
AttentionCorrect = Annotated[
    int | None, typer.Option("--attention-correct", metavar="N", help="How many must be right (default: all).")
]
AttentionShare = Annotated[
    float | None, typer.Option("--attention-share", metavar="SHARE", help="Which share of those shown must be right.")
]
Adjust = Annotated[str, typer.Option("--adjust", metavar="HOW", help="Adjustment of p-values: holm or fdr_bh.")]
Holdout = Annotated[
    float | None,
    typer.Option("--holdout", metavar="SHARE", help="Keep this share of the workers out, and check the fit on them."),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="N",
        help="Of what is drawn at random: the workers held out, and the simulated crowds behind the verdict on "
        "dimensions. The same seed gives the same build.",
    ),
]
Recruitment = Annotated[
    str, typer.Option("--recruitment", metavar="TEXT", help="How the crowd was recruited; kept in the scale.")
]
