"""Diagnostics: one statistic per file, each a StatisticTable or a frozen result."""

from psyirt.diagnostics.dimensions.dimension_count import dimensionality
from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.diagnostics.groups.dif import dif
from psyirt.diagnostics.items.classical_statistics import classical
from psyirt.diagnostics.items.discrimination import slopes
from psyirt.diagnostics.items.fit import item_fit
from psyirt.diagnostics.items.options import option_analysis
from psyirt.diagnostics.items.response_curve import empirical_curve
from psyirt.diagnostics.items.s_x2_cells import s_x2_cells
from psyirt.diagnostics.overview.check_up import check
from psyirt.diagnostics.pairs.dependence import local_dependence
from psyirt.diagnostics.persons.fit import person_fit
from psyirt.diagnostics.persons.screening import screen_subjects
from psyirt.diagnostics.persons.surprises import surprising_items
from psyirt.diagnostics.planning.study_plan import plan
from psyirt.diagnostics.whole_model.comparison import compare_models
from psyirt.diagnostics.whole_model.model_fit import model_fit
from psyirt.diagnostics.whole_model.reliability_coefficients import reliability

__all__ = [
    "check",
    "classical",
    "compare_models",
    "dif",
    "dimensionality",
    "empirical_curve",
    "item_fit",
    "local_dependence",
    "model_fit",
    "option_analysis",
    "person_fit",
    "plan",
    "reliability",
    "s_x2_cells",
    "screen_subjects",
    "slopes",
    "surprising_items",
    "tetrachoric",
]
