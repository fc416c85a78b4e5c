"""``python -m psyirt`` is the command `psyirt`."""

from psyirt.cli import main

main()
