"""The folder of a build: never half there, never somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from psyirt.cli.outputs import new_folder
from psyirt.errors import InputError


def _interrupted(target: Path) -> None:
    with new_folder(target, force=True) as folder:
        (folder / "items.csv").write_text("second")
        raise KeyboardInterrupt


def test_an_earlier_build_is_replaced_with_force_only(tmp_path: Path) -> None:
    """A second run must neither mix its files with the first one's nor lose the first if it fails."""
    target = tmp_path / "scales"
    with new_folder(target, force=False) as folder:
        (folder / "scale.json").write_text("first")
    with pytest.raises(InputError, match="--force"), new_folder(target, force=False):
        pytest.fail("the work began")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(target)
    assert [path.name for path in tmp_path.rglob("*")] == ["scales", "scale.json"]
    with new_folder(target, force=True) as folder:
        (folder / "items.csv").write_text("third")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["items.csv", "scales"]


def test_a_folder_with_other_files_is_never_replaced(tmp_path: Path) -> None:
    """`--out . --force` must not delete a user's data."""
    (tmp_path / "labels.csv").write_text("precious")
    with pytest.raises(InputError, match=r"labels\.csv"), new_folder(tmp_path, force=True):
        pytest.fail("the work began")
    assert (tmp_path / "labels.csv").read_text() == "precious"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_place_is_refused_before_the_work(tmp_path: Path) -> None:
    """Minutes of work must not end in 'permission denied'."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(InputError, match="cannot write"), new_folder(locked / "scales", force=False):
        pytest.fail("the work began")


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    """--force replaces a build, not a file that happens to have the name."""
    (tmp_path / "scales").write_text("precious")
    with pytest.raises(InputError, match="a file"), new_folder(tmp_path / "scales", force=True):
        pytest.fail("the work began")


def test_a_failed_command_leaves_no_folders(tmp_path: Path) -> None:
    """Empty folders named by a slip in another option stay for ever."""
    with pytest.raises(KeyboardInterrupt):
        _interrupted(tmp_path / "a" / "b" / "scales")
    assert os.listdir(tmp_path) == []
