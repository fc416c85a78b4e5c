"""Lalor, Wu & Yu (2016) from the crowd's original labels; see README.md."""
