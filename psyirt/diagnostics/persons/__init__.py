"""Fit of single subjects: how well their answers agree with the model, or with one another."""
