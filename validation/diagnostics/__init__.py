"""Size and power of the diagnostics: how often a test rejects where nothing is wrong, and where something is."""
