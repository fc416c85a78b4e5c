"""The arguments of ``psyirt score``, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ScaleFile = Annotated[Path, typer.Argument(metavar="SCALE", help="scale.json, as psyirt build wrote it.")]
PredictionsFile = Annotated[
    Path, typer.Argument(metavar="PREDICTIONS", help="The systems' answers: CSV or Parquet, wide or long; .gz too.")
]
Method = Annotated[str, typer.Option("--method", metavar="NAME", help="EAP, MAP, ML or WLE.")]
Graded = Annotated[
    bool | None,
    typer.Option("--graded/--labels", help="The file holds 0 and 1, or labels (default: found out)."),
]
NonAnswer = Annotated[
    str,
    typer.Option(
        "--non-answer",
        metavar="HOW",
        help="A refusal, a text that is no option or an empty cell counts as wrong, or as missing; counted either way.",
    ),
]
Absent = Annotated[
    str,
    typer.Option(
        "--absent",
        metavar="HOW",
        help="Items of a scale that are nowhere in the file: error, wrong (not answered) or skip (not presented).",
    ),
]
ScaleName = Annotated[
    list[str] | None, typer.Option("--scale", metavar="NAME,...", help="Which scales of the file (default: all).")
]
Population = Annotated[
    str,
    typer.Option(
        "--population", metavar="WHICH", help="People that percentiles speak of: normal, or the crowd's own histogram."
    ),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the scores here (.csv or .json).")]
Force = Annotated[
    bool, typer.Option("--force", help="Load a scale file that was edited, and replace an existing --out file.")
]
