def score_command() -> None:
    """Soon."""
