"""Tests of psyirt; the folders mirror psyirt/, and reference/ holds slow, obvious twins."""
