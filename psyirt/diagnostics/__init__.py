"""Diagnostics: one statistic per file, each a StatisticTable or a frozen result."""

from psyirt.diagnostics.dimensions.dimension_count import dimensionality
from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.diagnostics.items.classical_statistics import classical
from psyirt.diagnostics.items.discrimination import slopes
from psyirt.diagnostics.items.fit import item_fit
from psyirt.diagnostics.items.s_x2 import s_x2_cells
from psyirt.diagnostics.pairs.dependence import local_dependence
from psyirt.diagnostics.planning.study_plan import plan
from psyirt.diagnostics.whole_model.comparison import compare_models
from psyirt.diagnostics.whole_model.model_fit import model_fit

__all__ = [
    "classical",
    "compare_models",
    "dimensionality",
    "item_fit",
    "local_dependence",
    "model_fit",
    "plan",
    "s_x2_cells",
    "slopes",
    "tetrachoric",
]
