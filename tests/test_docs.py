"""The documentation: what it tells people to type works, prints what is shown, and leads where it says.

How the blocks of a page are fenced decides what happens to them, in order, in one empty folder for each page:

- ``python``: run, all blocks of a page in one namespace; warnings are errors;
- ``sh``: every line is a ``psyirt`` command and ends with exit code 0, or with N if the line ends in ``# exit N``;
- ``text``: what the block before it prints. A line ``...`` stands for any lines, numbers may differ by one in the last
  place, empty lines and the width of gaps do not count;
- ``csv NAME``, ``json NAME``: a file that is written for the blocks after it;
- no language: a picture; nothing is done with it.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import psyirt
from psyirt.cli.app import app
from psyirt.simulation import simulate_crowd_study
from tests.source_tree import ROOT

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINKED = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "validation").rglob("*.md"))]
API = DOCS / "reference" / "api.md"

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|mailto:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
EXIT = re.compile(r"\s+# exit (\d+)$")
NUMBER = re.compile(r"\d+\.\d+(?:e[-+]\d+)?|\d+")


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after the fence, its text, and the line of the page on which the text begins."""

    info: str
    body: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [Block(m["info"].strip(), m["body"], page.count("\n", 0, m.start("body")) + 1) for m in FENCE.finditer(page)]


def run_page(page: Path) -> None:
    """Do with every block of a page what its fence says, in the current folder."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{page.name}:{block.line}"
        kind, _, file = block.info.partition(" ")
        if kind == "python":
            printed = run_python(block, page, names)
        elif kind == "sh":
            printed = "".join(run_command(command, place) for command in commands(block.body))
        elif kind == "text":
            assert printed is not None, f"{place}: no block before this one prints anything"
            assert not (fault := difference(block.body, printed)), f"{place}: {fault}\nprinted:\n{printed}"
        elif kind in ("csv", "json") and file:
            Path(file).write_text(block.body, encoding="utf-8")
        else:
            assert not kind, f"{place}: nothing is known of blocks fenced {block.info!r}"


def run_python(block: Block, page: Path, names: dict[str, object]) -> str:
    """Run a block; what it printed. A traceback shows the page's own line numbers."""
    code = compile("\n" * (block.line - 1) + block.body, str(page), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, names)  # noqa: S102 - our own pages
    return out.getvalue()


def commands(body: str) -> list[str]:
    """The commands of a block, continued lines joined, comment lines left out."""
    lines = body.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def run_command(command: str, place: str) -> str:
    """Run a `psyirt` command; what it printed, errors and warnings included."""
    said = EXIT.search(command)
    words = shlex.split(EXIT.sub("", command))
    assert words[0] == "psyirt", f"{place}: {words[0]!r} is not run; indent it, so that it is no block of commands"
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == (int(said[1]) if said else 0), f"{place}: {command}\n{result.output}"
    return result.output


def difference(shown: str, printed: str) -> str:
    """What a page shows that was not printed; empty if all is as shown."""
    chunks: list[list[str]] = [[]]
    for line in tidy(shown):
        if line == "...":
            chunks.append([])
        else:
            chunks[-1].append(line)
    lines, at = tidy(printed), 0
    for number, chunk in enumerate(chunks):
        first, final, last = number == 0, number == len(chunks) - 1, len(lines) - len(chunk)
        starts = (k for k in range(at, last + 1) if (not first or k == 0) and (not final or k == last))
        found = next((k for k in starts if all(map(same, chunk, lines[k:]))), None)
        if found is None:
            absent = (line for line in chunk if not any(same(line, other) for other in lines))
            return f"not printed as shown: {next(absent, 'all lines are there, but not in this order alone')!r}"
        at = found + len(chunk)
    return ""


def tidy(text: str) -> list[str]:
    """Lines that say something, their gaps and rules of one width."""
    lines = (re.sub("─+", "─", " ".join(line.split())) for line in text.splitlines())
    return [line for line in lines if line]


def same(shown: str, printed: str) -> bool:
    """Whether two lines are equal but for one in the last place of a decimal number."""
    if NUMBER.split(shown) != NUMBER.split(printed):
        return False
    return all(map(same_number, NUMBER.findall(shown), NUMBER.findall(printed)))


def same_number(shown: str, printed: str) -> bool:
    """Whole numbers agree exactly, decimal ones to within one in the last place shown."""
    if "." not in shown or "." not in printed:
        return shown == printed
    mantissa, _, exponent = shown.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(shown) - float(printed)) <= 1.01 * unit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; tables print as they would in a terminal of 120 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def prepare_readme(folder: Path) -> None:
    """The files of which the README says that the reader has them."""
    study = simulate_crowd_study(workers=300, items_per_group=10, seed=3, careless=0.0, faults={})
    items = list(study.truth.index)
    study.labels.select(items=items).to_frame().to_csv(folder / "labels.csv")
    study.gold.loc[items, ["gold"]].to_csv(folder / "gold.csv")
    study.systems.to_frame().rename_axis("system").to_csv(folder / "predictions.csv")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_runs_as_written(page: Path, folder: Path) -> None:
    """A command that fails or prints something else than shown loses a reader in the first ten minutes."""
    if page.name == "README.md":
        prepare_readme(folder)
    run_page(page)


@pytest.mark.parametrize(
    ("shown", "equal"),
    [
        ("theta 0.36\nright 12\n", True),
        ("theta  0.35\n\nright 12\n", True),  # one in the last place
        ("...\nright 12\n", True),
        ("theta 0.36\n...\n", True),
        ("theta 0.38\nright 12\n", False),
        ("theta 0.36\nright 13\n", False),
        ("theta 0.36\n", False),  # more was printed than is shown
        ("right 12\n", False),  # and before it
        ("right 12\n...\ntheta 0.36\n", False),  # in another order
        ("theta 0.36\nright 12\nwrong 5\n", False),
        ("...\nwrong 5\n...\n", False),
    ],
)
def test_shown_output_is_compared(shown: str, equal: bool) -> None:
    """A comparison that forgives everything lets the pages drift from the program."""
    assert (difference(shown, "theta 0.36\nright 12\n") == "") is equal


@pytest.mark.parametrize(
    "planted",
    [
        "```python\nimport psyirt\npsyirt.no_such_name\n```\n",
        "```python\nimport warnings\nwarnings.warn('w')\n```\n",
        "```sh\npsyirt score absent.json absent.csv\n```\n",
        "```sh\npsyirt --version  # exit 2\n```\n",
        "```sh\nls\n```\n",
        "```pyhton\nprint(1)\n```\n",
        "```text\nprinted by nothing\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
    ],
)
def test_a_faulty_block_is_found(planted: str, folder: Path) -> None:
    """A runner that finds nothing in a faulty page finds nothing in ours."""
    page = folder / "page.md"
    page.write_text(planted, encoding="utf-8")
    with pytest.raises((AssertionError, AttributeError, UserWarning)):
        run_page(page)


def broken_links(page: Path) -> list[str]:
    """Relative links of a page that lead to no file, or to no heading of it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    faults = []
    for link in LINK.finditer(text):
        target = (page.parent / link["path"]).resolve() if link["path"] else page
        if not target.exists() or (link["anchor"] and link["anchor"] not in headings(target)):
            faults.append(f"{page.name}: {link[0][2:-1]}")
    return faults


def headings(page: Path) -> set[str]:
    """A page's headings as the anchors that GitHub makes of them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = (line.lstrip("#").strip().casefold() for line in text.splitlines() if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", LINKED, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """A dead link ends the reading."""
    assert not broken_links(page)


def test_dead_links_are_found(tmp_path: Path) -> None:
    """A check of links that finds none broken may be one that finds no links."""
    page = tmp_path / "page.md"
    page.write_text("# A title, here\n[a](page.md#a-title-here) [b](absent.md) [c](#other) [d](https://x.org/y)\n")
    assert broken_links(page) == ["page.md: absent.md", "page.md: #other"]


def test_every_page_is_in_the_index() -> None:
    """A page that the index does not name is read by nobody."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {(DOCS / link["path"]).resolve() for link in LINK.finditer(index)}
    absent = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page.name != "index.md"]
    assert len(absent) > 5
    assert not [name for name in absent if DOCS / name not in linked]


def test_every_column_that_is_written_is_explained(folder: Path) -> None:
    """A column without a line in the reference is guessed at."""
    run_command("psyirt demo --workers 200 --out study", "here")
    text = (DOCS / "reference" / "files.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"`([^`\s]+)`", text))
    files = sorted((folder / "study").rglob("*.csv"))
    study = {"labels.csv", "gold.csv", "predictions.csv"}
    headers = (file.read_text("utf-8").partition("\n")[0] for file in files if file.name not in study)
    columns = {name for header in headers for name in header.split(",")}
    assert len(columns) > 50
    assert not columns - explained
    written = {file.name for file in (folder / "study").rglob("*") if file.is_file()}
    assert not written - explained
    scales = json.loads((folder / "study" / "scales" / "scale.json").read_text("utf-8"))
    build = json.loads((folder / "study" / "scales" / "build.json").read_text("utf-8"))
    keys = set(scales) | set(scales["scales"][0]) | set(scales["scales"][0]["quality"]) | set(build)
    keys |= set(next(iter(build["groups"].values())))
    assert not keys - explained


def api_rows() -> Iterator[tuple[str, str]]:
    """The two cells of each row of the reference's tables."""
    for line in API.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 2:
            yield cells[0], cells[1]


def documented() -> Iterator[tuple[str, str, str]]:
    """Name, what is written of its arguments, and description, for the names that are said to exist."""
    for cell, description in api_rows():
        if "*planned*" not in description and "`psyirt " not in cell:
            for name, arguments in re.findall(r"`(\w+)(\([^`]*\))?`", cell):
                yield name, arguments, description


def test_reference_says_what_is_there() -> None:
    """A reference that names an argument or an attribute that is not there is worse than none."""
    faults = []
    for name, arguments, description in documented():
        thing = getattr(psyirt, name)
        if arguments:
            known = set(inspect.signature(thing).parameters)
            faults += [f"{name}({word}=)" for word in re.findall(r"(\w+)=", arguments) if word not in known]
        if inspect.isclass(thing):
            own = {field.name for field in fields(thing)} if is_dataclass(thing) else set()
            faults += [f"{name}.{word}" for word in re.findall(r"`\.(\w+)", description) if not has(thing, word, own)]
        if inspect.ismodule(thing):
            faults += [f"{name}.{word}" for word in re.findall(r"`(\w+)`", description) if not hasattr(thing, word)]
    assert not faults


def has(thing: type, word: str, own: set[str]) -> bool:
    """Whether a class has an attribute, or its instances a field, of that name."""
    return hasattr(thing, word) or word in own


def test_what_is_planned_is_not_there_yet() -> None:
    """A name that exists and is called planned is one that nobody dares to use."""
    planned = [name for cell, text in api_rows() if "*planned*" in text for name in re.findall(r"`(\w+)", cell)]
    assert len(planned) > 5
    assert not set(planned) & set(psyirt.__all__)


def test_reference_lists_every_command() -> None:
    """A command without a line in the reference is found by accident."""
    listed = {match[1] for cell, _ in api_rows() if (match := re.match(r"`psyirt (\w+)", cell))}
    assert listed == set(get_command(app).commands)  # type: ignore[attr-defined]
