"""psyirt: item response theory for people who evaluate NLP systems.

The public names are resolved when they are first used, so that ``import psyirt`` loads neither numerical nor
plotting libraries. To add one, name it in `_PUBLIC`, in the imports for type checkers, and in docs/reference/api.md.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from psyirt import errors as errors

__version__ = "0.1.0"

# Public name -> (module, attribute); no attribute means that the name is the module itself.
_PUBLIC: dict[str, tuple[str, str | None]] = {
    "AttentionRule": ("psyirt.data.attention", "AttentionRule"),
    "BuildOptions": ("psyirt.scale.options", "BuildOptions"),
    "Calibration": ("psyirt.results.calibration", "Calibration"),
    "CrowdLabels": ("psyirt.data.labels", "CrowdLabels"),
    "Grid": ("psyirt.latent.population", "Grid"),
    "ItemParameters": ("psyirt.models.parameters", "ItemParameters"),
    "MMLOptions": ("psyirt.estimation.options", "MMLOptions"),
    "Responses": ("psyirt.data.responses", "Responses"),
    "Scale": ("psyirt.scale.scale", "Scale"),
    "ScaleBuild": ("psyirt.scale.build", "ScaleBuild"),
    "SparseResponses": ("psyirt.data.sparse_responses", "SparseResponses"),
    "StatisticTable": ("psyirt.results.table", "StatisticTable"),
    "StoredResponses": ("psyirt.data.stored_responses", "StoredResponses"),
    "build_scale": ("psyirt.scale.build", "build_scale"),
    "calibrate_onto": ("psyirt.scale.calibrate_onto", "calibrate_onto"),
    "characteristic_curve": ("psyirt.scoring.information", "characteristic_curve"),
    "check": ("psyirt.diagnostics", "check"),
    "classical": ("psyirt.diagnostics", "classical"),
    "compare_models": ("psyirt.diagnostics", "compare_models"),
    "dif": ("psyirt.diagnostics", "dif"),
    "dimensionality": ("psyirt.diagnostics", "dimensionality"),
    "empirical_curve": ("psyirt.diagnostics", "empirical_curve"),
    "fit_mml": ("psyirt.estimation.mml", "fit_mml"),
    "fix": ("psyirt.estimation.fixed", "fix"),
    "grade_predictions": ("psyirt.data.predictions", "grade_predictions"),
    "information": ("psyirt.scoring.information", "information"),
    "item_fit": ("psyirt.diagnostics", "item_fit"),
    "load_scale": ("psyirt.scale.files", "load_scale"),
    "load_scales": ("psyirt.scale.files", "load_scales"),
    "local_dependence": ("psyirt.diagnostics", "local_dependence"),
    "model_fit": ("psyirt.diagnostics", "model_fit"),
    "option_analysis": ("psyirt.diagnostics", "option_analysis"),
    "person_fit": ("psyirt.diagnostics", "person_fit"),
    "plan": ("psyirt.diagnostics", "plan"),
    "priors": ("psyirt.models.priors", None),
    "read_labels": ("psyirt.data.readers", "read_labels"),
    "read_responses": ("psyirt.data.readers", "read_responses"),
    "reliability": ("psyirt.diagnostics", "reliability"),
    "rules": ("psyirt.scale.rules", None),
    "save_scales": ("psyirt.scale.files", "save_scales"),
    "score": ("psyirt.scoring.abilities", "score"),
    "screen_subjects": ("psyirt.diagnostics", "screen_subjects"),
    "simulate_crowd_study": ("psyirt.simulation", "simulate_crowd_study"),
    "simulate_responses": ("psyirt.simulation", "simulate_responses"),
    "sum_score_table": ("psyirt.scoring.sum_scores", "sum_score_table"),
    "surprising_items": ("psyirt.diagnostics", "surprising_items"),
    "tetrachoric": ("psyirt.diagnostics", "tetrachoric"),
}

__all__ = list(_PUBLIC)

if TYPE_CHECKING:
    from psyirt.data.attention import AttentionRule as AttentionRule
    from psyirt.data.labels import CrowdLabels as CrowdLabels
    from psyirt.data.predictions import grade_predictions as grade_predictions
    from psyirt.data.readers import read_labels as read_labels
    from psyirt.data.readers import read_responses as read_responses
    from psyirt.data.responses import Responses as Responses
    from psyirt.data.sparse_responses import SparseResponses as SparseResponses
    from psyirt.data.stored_responses import StoredResponses as StoredResponses
    from psyirt.diagnostics import check as check
    from psyirt.diagnostics import classical as classical
    from psyirt.diagnostics import compare_models as compare_models
    from psyirt.diagnostics import dif as dif
    from psyirt.diagnostics import dimensionality as dimensionality
    from psyirt.diagnostics import empirical_curve as empirical_curve
    from psyirt.diagnostics import item_fit as item_fit
    from psyirt.diagnostics import local_dependence as local_dependence
    from psyirt.diagnostics import model_fit as model_fit
    from psyirt.diagnostics import option_analysis as option_analysis
    from psyirt.diagnostics import person_fit as person_fit
    from psyirt.diagnostics import plan as plan
    from psyirt.diagnostics import reliability as reliability
    from psyirt.diagnostics import screen_subjects as screen_subjects
    from psyirt.diagnostics import surprising_items as surprising_items
    from psyirt.diagnostics import tetrachoric as tetrachoric
    from psyirt.estimation.fixed import fix as fix
    from psyirt.estimation.mml import fit_mml as fit_mml
    from psyirt.estimation.options import MMLOptions as MMLOptions
    from psyirt.latent.population import Grid as Grid
    from psyirt.models import priors as priors
    from psyirt.models.parameters import ItemParameters as ItemParameters
    from psyirt.results.calibration import Calibration as Calibration
    from psyirt.results.table import StatisticTable as StatisticTable
    from psyirt.scale import rules as rules
    from psyirt.scale.build import ScaleBuild as ScaleBuild
    from psyirt.scale.build import build_scale as build_scale
    from psyirt.scale.calibrate_onto import calibrate_onto as calibrate_onto
    from psyirt.scale.files import load_scale as load_scale
    from psyirt.scale.files import load_scales as load_scales
    from psyirt.scale.files import save_scales as save_scales
    from psyirt.scale.options import BuildOptions as BuildOptions
    from psyirt.scale.scale import Scale as Scale
    from psyirt.scoring.abilities import score as score
    from psyirt.scoring.information import characteristic_curve as characteristic_curve
    from psyirt.scoring.information import information as information
    from psyirt.scoring.sum_scores import sum_score_table as sum_score_table
    from psyirt.simulation import simulate_crowd_study as simulate_crowd_study
    from psyirt.simulation import simulate_responses as simulate_responses
else:  # a type checker that saw this function would take every misspelt name for a public one

    def __getattr__(name: str) -> object:
        """Import a public name on first use and keep it."""
        if name not in _PUBLIC:
            raise AttributeError(f"module 'psyirt' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        module, attribute = _PUBLIC[name]
        value = import_module(module)
        if attribute is not None:
            value = getattr(value, attribute)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names beside what is loaded already."""
    return sorted({*globals(), *_PUBLIC})
