def demo_command() -> None:
    """Soon."""
