"""Statistics of pairs of items."""
