"""Comparisons of psyirt with the outside world; see README.md."""
