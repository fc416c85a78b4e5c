"""``psyirt fit``: item parameters from graded responses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from psyirt.cli import fit_arguments as given
from psyirt.cli.arguments import (
    ColumnsOption,
    EncodingOption,
    ForceOption,
    JsonOption,
    columns,
    mean_and_sd,
    refuse_existing,
    refuse_idle,
    refuse_same,
    words,
)
from psyirt.cli.files import check_table_path, write_table
from psyirt.cli.progress import shown_progress
from psyirt.cli.screen import Screen

if TYPE_CHECKING:
    import pandas as pd

    from psyirt.estimation.options import MMLOptions
    from psyirt.models.priors import Prior
    from psyirt.results.calibration import Calibration

EXAMPLE = "psyirt fit responses.csv --model 2PL --out items.csv --abilities abilities.csv"
COLUMNS = ("subject", "item", "response")


def fit_command(
    responses: given.ResponsesFile,
    model: given.Model = "2PL",
    file_format: given.FileFormat = None,
    out: given.Out = None,
    abilities: given.Abilities = None,
    method: given.Method = None,
    max_iterations: given.MaxIterations = None,
    tolerance: given.Tolerance = None,
    slope_prior: given.SlopePrior = None,
    guessing_prior: given.GuessingPrior = None,
    latent: given.Latent = "normal",
    latent_order: given.LatentOrder = None,
    nodes: given.Nodes = None,
    threads: given.Threads = None,
    memory: given.Memory = None,
    columns_given: ColumnsOption = None,
    ignore: given.Ignore = None,
    missing: given.Missing = None,
    encoding: EncodingOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Calibrate items by marginal maximum likelihood and print the fit.

    RESPONSES holds 0, 1 and codes for missing; empty cells are missing. Wide: one row per subject, one column per item.
    Long: the columns subject, item, response.
    """
    _check_outputs(out, abilities, method, force)
    codes, left_out = words(missing, "--missing"), words(ignore, "--ignore")
    named = columns(columns_given, COLUMNS)

    from psyirt.data.readers import read_responses
    from psyirt.estimation.latent_choice import LatentChoice
    from psyirt.estimation.mml import fit_mml
    from psyirt.models.registry import ITEM_TYPES
    from psyirt.scoring.abilities import METHODS

    if abilities is not None:
        METHODS[method or "EAP"]  # unknown names fail before the work
    priors = _priors(slope_prior, guessing_prior)
    density: dict[str, Any] = {"latent": latent, "latent_order": latent_order}
    LatentChoice(latent, latent_order)  # type: ignore[arg-type]  # refused before the data are read
    kind, options, screen = ITEM_TYPES[model], _options(max_iterations, tolerance), Screen(as_json)
    how = {"missing": None if codes is None else ["", *codes], "ignore": left_out, "encoding": encoding}
    data = read_responses(responses, file_format, memory=memory, **how, **named)  # type: ignore[arg-type]
    screen.say(f"read {responses}: {data!r}", *data.notes, "")
    with shown_progress() as progress:
        limits: dict[str, Any] = {"nodes": nodes, "threads": threads, "memory": memory}
        calibration = fit_mml(data, kind, priors=priors, **density, **limits, options=options, progress=progress)
        items = calibration.items  # standard errors are computed here, while the progress shows
        people = None if abilities is None else calibration.abilities(method or "EAP")
    screen.say(calibration.summary())
    if out is not None:
        write_table(items, out)
        screen.say(f"items written to {out}")
    if abilities is not None and people is not None:
        write_table(people, abilities)
        screen.say(f"abilities ({method or 'EAP'}) written to {abilities}")
    screen.document(_document(calibration, people))


def _check_outputs(out: Path | None, abilities: Path | None, method: str | None, force: bool) -> None:
    """Refuse files that cannot be written, and options that would have no effect."""
    for path in (out, abilities):
        check_table_path(path)
        refuse_existing(path, force)
    refuse_same({"--out": out, "--abilities": abilities})
    if abilities is None:
        refuse_idle(method, "--method", "--abilities FILE")
    if out is None and abilities is None:
        refuse_idle(force, "--force", "--out or --abilities")


def _priors(slope: str | None, guessing: str | None) -> dict[str, Prior]:
    """The priors that were given; the library's own otherwise."""
    from psyirt.models.priors import LogNormal, NormalOnLogit

    of_slope, of_guessing = mean_and_sd(slope, "--slope-prior"), mean_and_sd(guessing, "--guessing-prior")
    found: dict[str, Prior] = {} if of_slope is None else {"a": LogNormal(*of_slope)}
    return found if of_guessing is None else found | {"c": NormalOnLogit(*of_guessing)}


def _options(max_iterations: int | None, tolerance: float | None) -> MMLOptions:
    """The fit's options, the defaults where nothing was given."""
    from psyirt.estimation.options import MMLOptions

    given = {"max_iterations": max_iterations, "tolerance": tolerance}
    return MMLOptions(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]


def _document(calibration: Calibration, abilities: pd.DataFrame | None) -> dict[str, Any]:
    """The fit for programs."""
    document = {
        "model": calibration.model_name,
        "status": calibration.status,
        "converged": calibration.converged,
        "iterations": calibration.iterations,
        "subjects": calibration.nobs,
        "log_likelihood": calibration.loglik,
        "log_prior": calibration.log_prior,
        "parameters": calibration.n_parameters,
        "aic": calibration.aic,
        "bic": calibration.bic,
        "sabic": calibration.sabic,
        "latent_density": calibration.population.text,
        "latent_mean": calibration.population.mean,
        "latent_variance": calibration.population.variance,
        "set_aside": calibration.set_aside,
        "notes": calibration.notes,
        "items": calibration.items,
    }
    return document if abilities is None else document | {"abilities": abilities}
