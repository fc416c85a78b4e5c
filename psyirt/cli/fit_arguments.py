"""The arguments of ``psyirt fit``, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ResponsesFile = Annotated[
    Path, typer.Argument(metavar="RESPONSES", help="Graded responses: CSV, Parquet or py-irt JSON lines; .gz too.")
]
Model = Annotated[str, typer.Option("--model", "-m", help="Rasch, 1PL, 2PL, 3PL, feasibility or 4PL.")]
FileFormat = Annotated[
    str | None, typer.Option("--format", help="wide, long or py-irt (default: found by ending and content).")
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Write the items here (.csv or .json).")]
Abilities = Annotated[
    Path | None, typer.Option("--abilities", help="Write the subjects' abilities here (.csv or .json).")
]
Method = Annotated[str | None, typer.Option("--method", help="Of the abilities: EAP (default), MAP, ML or WLE.")]
MaxIterations = Annotated[int | None, typer.Option("--max-iterations", help="E-steps at most.")]
Tolerance = Annotated[
    float | None, typer.Option("--tolerance", help="Largest gradient and step, in standard errors, at the end.")
]
SlopePrior = Annotated[
    str | None,
    typer.Option(
        "--slope-prior", metavar="MEAN,SD", help="Lognormal prior on slopes: mean and sd of log a, e.g. 0,0.5."
    ),
]
GuessingPrior = Annotated[
    str | None,
    typer.Option(
        "--guessing-prior",
        metavar="MEAN,SD",
        help="Normal prior on logit c of 3PL and 4PL items (default: logit of 1/options or 1/5, sd 0.5).",
    ),
]
Latent = Annotated[
    str, typer.Option("--latent", help="Density of ability: normal, histogram (free weights on the nodes) or davidian.")
]
LatentOrder = Annotated[
    int | None,
    typer.Option(
        "--latent-order", help="Of a Davidian curve, 0 to 6 (default: chosen by Hannan and Quinn's criterion)."
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes", help="Quadrature nodes on [-6, 6], no more and no fewer (default: 61, or as many as needed)."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", help="Threads for large data (default: all). The result does not depend on it."),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="What the fit may take, such as 500MB: a wide Parquet table is then read in blocks. The result does not "
        "depend on it.",
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="COLUMN,...", help="Columns of the table to leave out.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="CODE,...",
        help="Cells that mean missing, beside the empty one (default: NA, N/A, NaN, null, ., -9, -1).",
    ),
]
