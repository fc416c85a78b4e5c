"""Statistics of single items."""
