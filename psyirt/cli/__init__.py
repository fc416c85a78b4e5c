"""The command line: one file per sub-command, each of which parses, calls the package and prints."""

from psyirt.cli.app import main as main
