"""Diagnostics: one statistic per file, each a StatisticTable or a frozen result."""

from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.diagnostics.items.classical_statistics import classical
from psyirt.diagnostics.items.discrimination import slopes
from psyirt.diagnostics.items.fit import item_fit
from psyirt.diagnostics.items.options import option_analysis
from psyirt.diagnostics.items.s_x2 import s_x2_cells
from psyirt.diagnostics.pairs.dependence import local_dependence
from psyirt.diagnostics.persons.fit import person_fit
from psyirt.diagnostics.persons.screening import screen_subjects
from psyirt.diagnostics.persons.surprises import surprising_items
from psyirt.diagnostics.whole_model.reliability_coefficients import reliability

__all__ = [
    "classical",
    "item_fit",
    "local_dependence",
    "option_analysis",
    "person_fit",
    "reliability",
    "s_x2_cells",
    "screen_subjects",
    "slopes",
    "surprising_items",
    "tetrachoric",
]
