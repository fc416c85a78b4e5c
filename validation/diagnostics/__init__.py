"""Size and power of the diagnostics, by simulation."""
