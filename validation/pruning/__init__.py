"""How many good items pruning removes, and how many planted faults it finds."""
