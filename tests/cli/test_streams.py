"""Standard streams that go away: the work is done and its files are written, in quiet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from psyirt.cli.outputs import BUILD_FILES
from psyirt.cli.streams import LastingStream, install_streams
from tests.source_tree import ROOT


def program(arguments: tuple[object, ...], redirection: str) -> subprocess.CompletedProcess[str]:
    """`psyirt` in a process of its own, its streams as a shell leaves them; what it prints beside them."""
    command = ["sh", "-c", f'"$0" -m psyirt "$@" {redirection}', sys.executable, *(str(each) for each in arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def into_a_closed_pipe(arguments: tuple[object, ...]) -> tuple[int, str]:
    """Exit code and stderr of `psyirt` whose reader has gone before the first word."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "psyirt", *(str(each) for each in arguments)]
    done = subprocess.run(
        command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=300, check=False
    )
    os.close(writing)
    return done.returncode, done.stderr


def test_a_build_whose_reader_goes_away_is_written(build_arguments: tuple[object, ...], tmp_path: Path) -> None:
    """`psyirt build ... | head -1` must not cost the build, nor end like a bug."""
    assert into_a_closed_pipe((*build_arguments, "--out", tmp_path / "scales")) == (0, "")
    assert sorted(path.name for path in (tmp_path / "scales").iterdir()) == sorted(BUILD_FILES)


@pytest.mark.parametrize("options", [("--help",), ("--json",), ("--out",)])
def test_a_fit_whose_reader_goes_away_ends_quietly(
    responses_file: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A traceback, or exit code 1, for `| head` makes every pipe look like a bug."""
    extra = (tmp_path / "items.csv",) if options == ("--out",) else ()
    code, said = into_a_closed_pipe(("fit", responses_file, *options, *extra))
    assert code == 0
    assert "Error" not in said
    assert "ignored" not in said
    assert [path.exists() for path in extra] == [True] * len(extra)


@pytest.mark.parametrize("redirection", [">&-", ">&- 2>&-", ">&- 2>&- <&-", "2>&-"])
def test_closed_streams(responses_file: Path, tmp_path: Path, redirection: str) -> None:
    """A closed descriptor is the next file's number: what is printed must not land in the results."""
    done = program(("fit", responses_file, "--out", tmp_path / "items.json"), redirection)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads((tmp_path / "items.json").read_text())) == 6
    assert bool(done.stdout) == (redirection == "2>&-")


@pytest.mark.parametrize("redirection", ["2>&-", ">&- 2>&-"])
def test_an_error_nobody_hears_has_its_code(tmp_path: Path, redirection: str) -> None:
    """A script that closes stderr still asks for the exit code."""
    done = program(("fit", tmp_path / "absent.csv"), redirection)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_a_full_disk_is_told(arguments: tuple[str, ...]) -> None:
    """Output that is lost and said to be done is worse than an error."""
    done = program(arguments, ">/dev/full")
    assert done.returncode == 2
    assert done.stderr == "psyirt: stdout: No space left on device\n"


def test_a_write_to_a_reader_that_has_gone_counts_as_written() -> None:
    """Zero bytes written would make the buffer above try again for ever."""
    reading, writing = os.pipe()
    os.close(reading)
    with LastingStream(writing, "w") as stream:
        assert stream.write(b"abc") == 3
        assert stream.write(b"de") == 2  # the null device by now


def test_a_stream_that_somebody_has_redirected_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """contextlib.redirect_stdout to a file must keep receiving what is printed."""
    with (tmp_path / "said.txt").open("w") as said:
        monkeypatch.setattr(sys, "stdout", said)
        monkeypatch.setattr(sys, "stderr", sys.stderr)
        install_streams()
        sys.stdout.write("here\n")
    assert (tmp_path / "said.txt").read_text() == "here\n"
