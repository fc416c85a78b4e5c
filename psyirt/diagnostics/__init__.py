"""Diagnostics: one statistic per file, each a StatisticTable or a frozen result."""

from psyirt.diagnostics.dimensions.tetrachoric_matrix import tetrachoric
from psyirt.diagnostics.groups.dif import dif
from psyirt.diagnostics.items.classical_statistics import classical
from psyirt.diagnostics.items.discrimination import slopes
from psyirt.diagnostics.items.fit import item_fit
from psyirt.diagnostics.items.s_x2 import s_x2_cells
from psyirt.diagnostics.pairs.dependence import local_dependence

__all__ = ["classical", "dif", "item_fit", "local_dependence", "s_x2_cells", "slopes", "tetrachoric"]
