"""The scale file: what is written comes back to the bit, and what is not understood is refused in one line."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import DataWarning, InputError
from psyirt.estimation.fixed import fix
from psyirt.scale.artefact import content_digest
from psyirt.scale.files import load_scale, load_scales, save_scales
from psyirt.scale.scale import Scale
from tests.scale.made import ITEMS, calibration, scale

Content = dict[str, Any]


def same(first: Any, second: Any) -> bool:
    """Equal to the bit, not-a-number being equal to itself."""
    if dataclasses.is_dataclass(first):
        pairs = [(getattr(first, f.name), getattr(second, f.name)) for f in dataclasses.fields(first)]
        return type(first) is type(second) and all(same(*pair) for pair in pairs)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(same(*pair) for pair in zip(first, second, strict=True))
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=True)
    if isinstance(first, float) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second) and type(first) is type(second)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with the scale."""
    target = tmp_path / "scale.json"
    scale().save(target)
    return target


def rewrite(path: Path, change: Callable[[Content], Any], *, sign: bool = True) -> None:
    """Change a file's content; with `sign`, give it the digest that fits, so that only the change is wrong."""
    content = json.loads(path.read_text("utf-8"))
    change(content)
    if sign:
        content["digest"] = content_digest(content)
    path.write_text(json.dumps(content), "utf-8")


def refusal(path: Path, **options: Any) -> str:
    """The one line a file is refused with."""
    with pytest.raises(InputError) as caught:
        load_scale(path, **options)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_round_trip_is_bit_equal(path: Path) -> None:
    """A digit lost in a file makes the same system score differently before and after."""
    made, back = scale(), load_scale(path)
    for name in ("item_table", "covariance_table", "history_table"):
        pd.testing.assert_frame_equal(getattr(back, name), getattr(made, name), check_exact=True)
    for name in ("name", "population", "grid", "label_set", "quality", "crowd", "normality", "histogram"):
        assert same(getattr(back, name), getattr(made, name)), name
    for name in ("slopes", "intercepts", "lower", "upper"):
        assert np.array_equal(getattr(back.item_parameters, name), getattr(made.item_parameters, name))
    assert back.item_names == made.item_names
    assert dict(back.provenance) == dict(made.provenance)
    assert back.summary() == made.summary()


def test_saving_what_was_loaded_gives_the_same_file(path: Path, tmp_path: Path) -> None:
    """A file that changes by being copied through psyirt cannot be compared with its original."""
    load_scale(path).save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def test_round_trip_of_odd_numbers(tmp_path: Path) -> None:
    """Flat items have an infinite or undefined difficulty, which plain JSON cannot say."""
    items = pd.DataFrame({"a": [0.0, 1.0, 0.0, 1 / 3], "intercept": [1.0, -0.0, 0.0, 1e-17]}, index=list("wxyz"))
    made = Scale.from_calibration(fix(items), name="odd")
    made.save(tmp_path / "odd.json")
    back = load_scale(tmp_path / "odd.json")
    pd.testing.assert_frame_equal(back.item_table, made.item_table, check_exact=True)
    assert np.isinf(back.items.loc["w", "b"])
    assert np.isnan(back.items.loc["y", "b"])
    assert same(back.quality, made.quality)


def test_not_a_number_is_null(path: Path) -> None:
    """ "NaN" is not JSON: other programs stop at it."""
    assert "NaN" not in path.read_text("utf-8")
    content = json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    columns = [name for name, _ in content["scales"][0]["items"]["columns"]]
    assert content["scales"][0]["items"]["rows"][0][columns.index("se_c")] is None


def test_file_can_be_read_by_a_person(path: Path) -> None:
    """A scale on one line of 50,000 characters is not something anybody checks."""
    lines = path.read_text("utf-8").splitlines()
    assert any(line.strip().startswith('["q1", ') for line in lines)
    assert "Größe, 量" in path.read_text("utf-8")
    order = [line.split('"')[1] for line in lines if line.startswith('   "')]
    assert order[:2] == ["name", "quality"]


def test_several_scales_in_one_file(tmp_path: Path) -> None:
    """A build has a scale for each class; loading "the" scale must not pick one of them in silence."""
    other = Scale.from_calibration(calibration(), name="other")
    save_scales({"all": scale(), "other": other}, tmp_path / "scale.json")
    assert list(load_scales(tmp_path / "scale.json")) == ["all", "other"]
    assert load_scale(tmp_path / "scale.json", "other").name == "other"
    message = refusal(tmp_path / "scale.json")
    assert "'all'" in message
    assert "'other'" in message
    assert "load_scales" in message
    assert "no scale is called 'third'" in refusal(tmp_path / "scale.json", name="third")


def test_scales_are_saved_under_their_own_names(tmp_path: Path) -> None:
    """Two names for one scale end in a score reported for the wrong class."""
    with pytest.raises(InputError, match="called 'neutral' here"):
        save_scales({"neutral": scale()}, tmp_path / "scale.json")
    with pytest.raises(InputError, match="no scale to write"):
        save_scales({}, tmp_path / "scale.json")
    assert not list(tmp_path.iterdir())


def test_edited_file_needs_force(path: Path) -> None:
    """A parameter changed by hand must not pass for a calibrated one."""

    def make_easier(content: Content) -> None:
        content["scales"][0]["population"]["crowd"]["recruitment"] = "experts"

    rewrite(path, make_easier, sign=False)
    assert "--force" in refusal(path)
    with pytest.warns(DataWarning, match="edited"):
        back = load_scale(path, force=True)
    assert back.crowd is not None
    assert back.crowd.recruitment == "experts"


def test_changed_spaces_are_no_edit(path: Path) -> None:
    """A file reformatted by an editor or a version control system still says the same."""
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")
    assert load_scale(path).name == "all"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_file_cut_short(path: Path, share: float) -> None:
    """Half a download must not be half a scale."""
    text = path.read_text("utf-8")
    path.write_text(text[: int(len(text) * share)], "utf-8")
    assert "cut short" in refusal(path)
    assert "cut short" in refusal(path, force=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"[1, 2]", "no JSON object"),
        (b'{"a": 1}', "not a scale file"),
        (b"item,a,b\nq1,1,2\n", "not a scale file"),
        (b'{"schema": "psyirt.scale", "schema": 1}', "'schema' occurs twice"),
        (b'{"schema": "psyirt.scale", "version": 1, "x": NaN}', "NaN"),
        (b'{"schema": "psyirt.scale", "version": 1, "x": 1e999}', "not finite"),
        (b"[" * 100_000, "not a scale file"),
    ],
)
def test_other_files(path: Path, content: bytes, message: str) -> None:
    """Whatever is given as a scale file, the user gets one line and no traceback."""
    path.write_bytes(content)
    assert message in refusal(path)


def test_absent_file_and_folder(tmp_path: Path) -> None:
    """A mistyped path is the commonest fault of all."""
    assert "No such file" in refusal(tmp_path / "absent.json")
    assert "cannot be read" in refusal(tmp_path)
    with pytest.raises(InputError, match="cannot write here"):
        scale().save(tmp_path / "absent" / "scale.json")


@pytest.mark.parametrize("version", [0, 2, "1", None, True])
def test_other_versions(path: Path, version: object) -> None:
    """A later format read by an older psyirt would be half understood."""
    rewrite(path, lambda content: content.update(version=version))
    assert "version" in refusal(path)
    assert "version" in refusal(path, force=True)


CHANGES: dict[str, tuple[Callable[[Content], Any], str]] = {
    "unknown field": (lambda s: s.update(colour="red"), "scales[0].colour: is a field that psyirt does not know"),
    "unknown field below": (lambda s: s["quality"].update(x=1), "scales[0].quality.x"),
    "missing field": (lambda s: s.pop("label_set"), "scales[0].label_set: is missing"),
    "words for a number": (lambda s: s["population"].update(mean="0"), "scales[0].population.mean"),
    "a number for words": (lambda s: s.update(name=3), "scales[0].name"),
    "share above one": (lambda s: s["quality"].update(at_ceiling=1.5), "scales[0].quality.at_ceiling"),
    "no variance": (lambda s: s["population"].update(variance=0.0), "scales[0].population.variance"),
    "row too short": (lambda s: s["items"]["rows"][1].pop(), "row 1 has"),
    "cell of another kind": (lambda s: s["items"]["rows"][2].__setitem__(1, "1.5"), "column 'a': '1.5' in row 2"),
    "cell that is a list": (lambda s: s["items"]["rows"][2].__setitem__(1, [1.5]), "scales[0].items.rows[2][1]"),
    "unknown kind": (lambda s: s["items"]["columns"][1].__setitem__(1, "real"), "scales[0].items.columns[1][1]"),
    "column gone": (lambda s: s["items"]["columns"][1].__setitem__(0, "slope"), "no column 'a'"),
    "item gone": (lambda s: s["items"]["rows"].pop(), "quality speaks of 8 items"),
    "item twice": (lambda s: s["items"]["rows"][1].__setitem__(0, "q1"), "item name occurs more than once"),
    "no slope": (lambda s: s["items"]["rows"][1].__setitem__(1, None), "not finite"),
    "difficulty of another item": (lambda s: s["items"]["rows"][1].__setitem__(2, 9.0), "b is not -intercept / a"),
    "impossible guessing": (lambda s: s["items"]["rows"][1].__setitem__(3, 2.0), "0 <= c < d <= 1"),
    "crowd with a gap": (lambda s: s["population"]["crowd"]["counts"].pop(), "scales[0].population.crowd"),
    "crowd out of order": (lambda s: s["population"]["crowd"]["thetas"].reverse(), "thetas do not increase"),
    "score distribution": (lambda s: s["population"]["crowd"]["number_correct"].pop(), "number_correct"),
    "histogram": (lambda s: s["population"]["histogram"]["weights"].__setitem__(0, 0.9), "do not sum to 1"),
    "covariance": (lambda s: s["covariance"]["lower"].pop(), "scales[0].covariance"),
    "key": (lambda s: s.update(label_set=["yes", "no"]), "'maybe' is not in the label set"),
    "information": (lambda s: s["quality"]["se"].pop(), "differ in length"),
}


@pytest.mark.parametrize("fault", CHANGES)
def test_field_that_is_not_understood_is_named(path: Path, fault: str) -> None:
    """A file that is valid JSON but no valid scale must be refused, and the field named."""
    change, message = CHANGES[fault]
    rewrite(path, lambda content: change(content["scales"][0]))
    assert message in refusal(path)


def test_two_scales_of_one_name(path: Path) -> None:
    """The second would replace the first in silence."""
    rewrite(path, lambda content: content["scales"].append(content["scales"][0]))
    assert "two scales have one name" in refusal(path)


def test_several_faults_are_one_line(path: Path) -> None:
    """A page of validation output hides its first and most useful line."""

    def break_much(content: Content) -> None:
        content["scales"][0]["quality"] = {"x": 1}
        content["scales"][0]["name"] = None

    rewrite(path, break_much)
    assert "more faults" in refusal(path)


def test_names_of_any_script_survive(tmp_path: Path) -> None:
    """Item names come from the data: quotes, slashes, line breaks and other scripts included."""
    names = ['a"b', "c\\d", "e\nf", "ß量", "null"]
    items = pd.DataFrame({"a": 1.0, "b": [-2.0, -1.0, 0.0, 1.0, 2.0]}, index=names)
    Scale.from_calibration(fix(items), name="Größe/1").save(tmp_path / "scale.json")
    assert list(load_scale(tmp_path / "scale.json", "Größe/1").item_names) == names


def test_text_that_is_no_character_is_refused(tmp_path: Path) -> None:
    """Half a surrogate pair cannot be written; the user must learn where it is before the build is lost."""
    made = Scale.from_calibration(calibration(), name="x", recruitment="\ud800")
    with pytest.raises(InputError, match="no character"):
        made.save(tmp_path / "scale.json")
    assert not list(tmp_path.iterdir())


def test_failed_writing_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk must not cost the scale that was there before."""
    before = path.read_bytes()
    monkeypatch.setattr(Path, "write_text", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(OSError, match="No space"):
        Scale.from_calibration(calibration(), name="new").save(path)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_items_keep_their_order(path: Path) -> None:
    """Rows sorted by a reader or writer would move every later pattern."""
    assert load_scale(path).item_names == ITEMS
