"""Files and folders that are whole or absent."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from psyirt.errors import InputError
from psyirt.foundation.files import atomic_directory, atomic_path, write_text


class Interrupted(BaseException):
    """Like Ctrl-C: not an Exception."""


def begin_file(target: Path) -> None:
    """Write half a file, then be interrupted."""
    with atomic_path(target) as temporary:
        temporary.write_text("ha")
        raise Interrupted


def begin_directory(target: Path, meanwhile: Callable[[], None], interrupt: bool = True) -> None:
    """Write one file of a folder, let something happen, and be interrupted or not."""
    with atomic_directory(target) as temporary:
        (temporary / "a").write_text("x")
        meanwhile()
        if interrupt:
            raise Interrupted


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """Text that changes on its way to disk (line ends, encoding) no longer matches its digest."""
    target = tmp_path / "a.csv"
    write_text(target, "item\nä\n")
    assert target.read_bytes() == "item\nä\n".encode()
    assert os.listdir(tmp_path) == ["a.csv"]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """Half a scale file that looks like a whole one is scored with."""
    target = tmp_path / "scale.json"
    target.write_text("old")
    with pytest.raises(Interrupted):
        begin_file(target)
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["scale.json"]


def test_the_temporary_file_keeps_the_suffix(tmp_path: Path) -> None:
    """Writers that choose compression by suffix would write plain text into a .gz."""
    with atomic_path(tmp_path / "a.csv.gz") as temporary:
        assert temporary.name.endswith(".csv.gz")
        assert temporary.parent == tmp_path
        temporary.write_text("x")


def test_a_written_file_is_readable_like_any_other(tmp_path: Path) -> None:
    """Temporary files are private (0600); a result nobody else in the group can read is half delivered."""
    plain = tmp_path / "plain"
    plain.write_text("x")
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("name", ["absent/a.csv", "folder"])
def test_a_place_that_takes_no_file_is_one_clear_line(tmp_path: Path, name: str) -> None:
    """A traceback from the operating system does not say what to do."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=name):
        write_text(tmp_path / name, "x")
    assert sorted(os.listdir(tmp_path)) == ["folder"]


def test_a_directory_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    """An output folder with three of five files is mistaken for a finished build."""
    target = tmp_path / "out"
    with pytest.raises(Interrupted):
        begin_directory(target, lambda: None)
    assert os.listdir(tmp_path) == []
    with atomic_directory(target) as temporary:
        (temporary / "a").write_text("x")
        assert not target.exists()
    assert (target / "a").read_text() == "x"
    assert os.listdir(tmp_path) == ["out"]


def test_an_existing_directory_is_refused_unless_replaced(tmp_path: Path) -> None:
    """Yesterday's build must not vanish because today's has the same name; nor mix with it when it may."""
    target = tmp_path / "out"
    target.mkdir()
    (target / "old").write_text("x")
    with pytest.raises(InputError, match="already exists"), atomic_directory(target):
        pass
    assert (target / "old").exists()
    with atomic_directory(target, replace=True) as temporary:
        (temporary / "new").write_text("y")
    assert os.listdir(target) == ["new"]
    assert os.listdir(tmp_path) == ["out"]


def test_a_directory_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """Two builds started with the same --out: the second to finish must not delete the first's results."""
    target = tmp_path / "out"

    def somebody_else() -> None:
        target.mkdir()
        (target / "theirs").write_text("y")

    with pytest.raises(InputError, match="meanwhile"):
        begin_directory(target, somebody_else, interrupt=False)
    assert os.listdir(target) == ["theirs"]
    assert os.listdir(tmp_path) == ["out"]


def test_replacing_a_link_leaves_what_it_points_to(tmp_path: Path) -> None:
    """--force on a link to a folder replaces the link, not somebody's data behind it."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    (real / "data").write_text("x")
    link.symlink_to(real)
    with atomic_directory(link, replace=True) as temporary:
        (temporary / "new").write_text("y")
    assert (real / "data").read_text() == "x"
    assert not link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    """--force must not delete a file that happens to have the folder's name."""
    (tmp_path / "out").write_text("x")
    with pytest.raises(InputError, match="file, not a folder"), atomic_directory(tmp_path / "out", replace=True):
        pass
    assert (tmp_path / "out").read_text() == "x"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """`results.csv -> /shared/results.csv` replaced by a file cuts everybody else off from what is written."""
    (tmp_path / "far").mkdir()
    real, link, dangling = tmp_path / "far" / "real.csv", tmp_path / "link.csv", tmp_path / "dangling.csv"
    real.write_text("old")
    link.symlink_to(real)
    dangling.symlink_to(tmp_path / "far" / "new.csv")
    write_text(link, "x")
    write_text(dangling, "y")
    assert (link.is_symlink(), real.read_text()) == (True, "x")
    assert (dangling.is_symlink(), (tmp_path / "far" / "new.csv").read_text()) == (True, "y")
    assert sorted(os.listdir(tmp_path)) == ["dangling.csv", "far", "link.csv"]
    assert sorted(os.listdir(tmp_path / "far")) == ["new.csv", "real.csv"]


def test_an_interrupted_write_through_a_link_leaves_its_target(tmp_path: Path) -> None:
    """Writing into the target in place would leave half a file there."""
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    link.symlink_to(real)
    with pytest.raises(Interrupted):
        begin_file(link)
    assert real.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["link.csv", "real.csv"]


def test_a_failure_leaves_no_folders_behind(tmp_path: Path) -> None:
    """`--out a/b/c` of a command that fails must leave the disk as it was; what others put there meanwhile stays."""
    (tmp_path / "there").mkdir()
    with pytest.raises(Interrupted):
        begin_directory(tmp_path / "there" / "a" / "b" / "c", lambda: None)
    assert os.listdir(tmp_path / "there") == []
    with pytest.raises(Interrupted):
        begin_directory(tmp_path / "x" / "y" / "z", lambda: (tmp_path / "x" / "theirs").write_text("y") and None)
    assert os.listdir(tmp_path / "x") == ["theirs"]
    with atomic_directory(tmp_path / "there" / "a" / "b") as temporary:
        (temporary / "file").write_text("x")
    assert (tmp_path / "there" / "a" / "b" / "file").exists()


def test_a_folder_below_a_file_is_one_clear_line(tmp_path: Path) -> None:
    """`--out labels.csv/scales` is a slip, and nothing may be made on the way to finding it."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot write here"), atomic_directory(tmp_path / "file" / "a" / "b"):
        pytest.fail("the work began")
    assert os.listdir(tmp_path) == ["file"]
