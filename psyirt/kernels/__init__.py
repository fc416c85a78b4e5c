"""Numba kernels: arrays in, arrays out; they know no model."""
