"""Studies before they are run."""
