"""The arguments of ``psyirt check``, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from psyirt.cli.fit_arguments import FileFormat as FileFormat
from psyirt.cli.fit_arguments import Ignore as Ignore
from psyirt.cli.fit_arguments import Missing as Missing
from psyirt.cli.fit_arguments import Model as Model
from psyirt.cli.fit_arguments import ResponsesFile as ResponsesFile

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to make.")]
Adjust = Annotated[
    str, typer.Option("--adjust", help="p-values over items and over pairs: holm, fdr_bh or none (by default holm).")
]
Alpha = Annotated[float, typer.Option("--alpha", help="Level of the flags.")]
Draws = Annotated[
    int, typer.Option("--draws", help="Simulated data sets for the number of dimensions; 0 leaves that out.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of these.")]
