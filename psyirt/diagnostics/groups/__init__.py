"""Items that behave differently in two groups of subjects."""
