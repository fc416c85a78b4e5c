"""`psyirt fit`: what it writes is the calibration, and bad input is one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import psyirt
from tests.cli.conftest import Run, one_line_error


def test_files_and_document_hold_the_calibration(run: Run, responses_file: Path) -> None:
    """A parameter lost or swapped between the fit and its file is wrong in every later use of it."""
    result = run("fit", responses_file, "--model", "1PL", "--out", "items.csv", "--abilities", "people.json", "--json")
    assert result.exit_code == 0, result.output
    expected = psyirt.fit_mml(psyirt.read_responses(responses_file), "1PL")
    items = pd.read_csv("items.csv", index_col="item")
    for column in ("a", "b", "intercept", "se_a", "se_b"):
        np.testing.assert_allclose(items[column], expected.items[column], rtol=1e-12)
    people = pd.DataFrame(json.loads(Path("people.json").read_text())).set_index("subject")
    np.testing.assert_allclose(people["theta"], expected.abilities()["theta"], rtol=1e-12)
    document = json.loads(result.stdout)
    assert document["log_likelihood"] == pytest.approx(expected.loglik, abs=1e-9)
    assert document["converged"] is True
    assert [row["item"] for row in document["items"]] == list(expected.item_names)


def test_method_of_the_abilities_is_used(run: Run, responses_file: Path) -> None:
    """An option that is parsed and not passed on gives EAPs under another name."""
    assert run("fit", responses_file, "--abilities", "ml.csv", "--method", "ML").exit_code == 0
    theta = pd.read_csv("ml.csv", index_col="subject")["theta"]
    assert np.isinf(theta).any()  # all right, or all wrong: EAP is finite there


def test_priors_are_those_that_were_given(run: Run, responses_file: Path) -> None:
    """A prior that is parsed and not passed on leaves a slope running away, under a flag that says it cannot."""
    flags = ("--slope-prior", "0,0.3", "--guessing-prior", "-2,0.4")
    result = run("fit", responses_file, "--model", "3PL", *flags, "--json")
    assert result.exit_code == 0, result.output
    priors = {"a": psyirt.priors.LogNormal(0.0, 0.3), "c": psyirt.priors.NormalOnLogit(-2.0, 0.4)}
    expected = psyirt.fit_mml(psyirt.read_responses(responses_file), "3PL", priors=priors)
    assert json.loads(result.stdout)["log_prior"] == pytest.approx(expected.log_prior, abs=1e-9)


def test_the_density_is_the_one_asked_for(run: Run, responses_file: Path) -> None:
    """An option that is parsed and not passed on gives a normal density under another name."""
    result = run("fit", responses_file, "--model", "1PL", "--latent", "histogram", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    expected = psyirt.fit_mml(psyirt.read_responses(responses_file), "1PL", latent="histogram")
    assert document["log_likelihood"] == pytest.approx(expected.loglik, abs=1e-9)
    assert document["latent_density"].startswith("histogram on 61 nodes")
    assert document["aic"] is None
    curve = run("fit", responses_file, "--latent", "davidian", "--latent-order", "0", "--json")
    assert json.loads(curve.stdout)["latent_density"].startswith("Davidian curve of order 0")


def test_the_iteration_limit_is_a_warning(run: Run, responses_file: Path) -> None:
    """A fit that stopped at the limit must not look like one that converged."""
    result = run("fit", responses_file, "--max-iterations", "2")
    assert result.exit_code == 0
    assert result.stderr.count("psyirt: warning: ") == 1
    assert "stopped at the limit" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--model", "5PL"), "5PL"),
        (("--method", "MLE", "--abilities", "x.csv"), "MLE"),
        (("--method", "ML"), "--method"),
        (("--force",), "--force"),
        (("--latent", "gamma"), "gamma"),
        (("--latent-order", "2"), "latent_order"),
        (("--out", "items.xlsx"), ".xlsx"),
        (("--out", "absent/items.csv"), "folder"),
        (("--tolerance", "0"), "tolerance"),
        (("--format", "spss"), "spss"),
        (("--columns", "person=x"), "person"),
        (("--encoding", "undefined"), "'undefined'"),
        (("--slope-prior", "0"), "--slope-prior: '0' is not of the form MEAN,SD"),
        (("--slope-prior", "0,-1"), "sd_log is -1"),
        (("--guessing-prior", "0,1"), "which no item of this model estimates"),
    ],
)
def test_bad_options_are_one_line(run: Run, responses_file: Path, arguments: tuple[str, ...], said: str) -> None:
    """A wrong word must neither be ignored nor end in a traceback."""
    assert said in one_line_error(run("fit", responses_file, *arguments))
    assert not Path("items.csv").exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file"),
        (b"", "empty"),
        (b"just some words\n", "one column"),
        (b"subject,q1,q2,q3\na,1,0,1\nb,2,0,1\n", "not 0, 1 or missing"),
        (b"subject,q1,q2,q3\na,1,0,1\na,1,0,1\n", "more than one row"),
        (b"subject,q1,q2\na,1,0\nb,0,1\nc,1,1\n", "3"),
        ("subject,é1,q2,q3\na,1,0,1\n".encode("latin-1"), "UTF-8"),
        (b"PK\x03\x04 a zip file", "zip"),
    ],
)
def test_bad_files_are_one_line(run: Run, tmp_path: Path, content: bytes | None, said: str) -> None:
    """Each kind of bad file is met by every user once: one line that names the file's fault, and no output."""
    path = tmp_path / "responses.csv"
    if content is not None:
        path.write_bytes(content)
    assert said in one_line_error(run("fit", path, "--out", "items.csv"))
    assert not Path("items.csv").exists()


def test_missing_codes_and_columns_that_are_no_items(run: Run, responses_file: Path) -> None:
    """Data as they come have a column of ages and a code for "not reached"; both must leave without a spreadsheet."""
    table = pd.read_csv(responses_file, index_col="subject").astype(object)
    table.iloc[0, 0], table.iloc[1, 1], table.iloc[2, 2] = 99, -7, ""
    table.assign(age=30, total=4).to_csv("raw.csv")
    line = one_line_error(run("fit", "raw.csv"))
    assert "--missing" in line
    assert "--ignore" in line
    result = run("fit", "raw.csv", "--missing", "-7,99", "--ignore", "age,total", "--json")
    assert result.exit_code == 0, result.output
    assert [row["item"] for row in json.loads(result.stdout)["items"]] == list(table.columns)
    expected = psyirt.fit_mml(psyirt.read_responses("raw.csv", missing=["", "-7", "99"], ignore=["age", "total"]))
    assert json.loads(result.stdout)["log_likelihood"] == pytest.approx(expected.loglik, abs=1e-9)
    assert "no column 'weight' to ignore" in one_line_error(run("fit", "raw.csv", "--ignore", "weight"))


def test_an_existing_file_is_kept_without_force(run: Run, responses_file: Path) -> None:
    """Yesterday's items must not be lost to a command typed twice."""
    Path("items.csv").write_text("yesterday's")
    assert "--force" in one_line_error(run("fit", responses_file, "--out", "items.csv"))
    assert Path("items.csv").read_text() == "yesterday's"
    assert run("fit", responses_file, "--out", "items.csv", "--force").exit_code == 0
    assert Path("items.csv").read_text().startswith("item,a,b,")


def test_constant_items_are_a_warning(run: Run, responses_file: Path) -> None:
    """An item that everybody gets right is set aside with a word, not with an error or in silence."""
    table = pd.read_csv(responses_file, index_col="subject").assign(always=1)
    table.to_csv("with_constant.csv")
    result = run("fit", "with_constant.csv")
    assert result.exit_code == 0
    assert "psyirt: warning: " in result.stderr
    assert "set aside: always" in result.stdout


def test_two_results_in_one_file_are_refused(run: Run, responses_file: Path) -> None:
    """The abilities would replace the items without a word."""
    line = one_line_error(run("fit", responses_file, "--out", "x.csv", "--abilities", "./x.csv"))
    assert "--abilities x.csv: names the same file as --out" in line
    assert not Path("x.csv").exists()


def test_force_writes_through_a_link(run: Run, responses_file: Path) -> None:
    """A link replaced by a file leaves yesterday's items where everybody else looks."""
    Path("real.csv").write_text("yesterday's")
    Path("link.csv").symlink_to("real.csv")
    assert "--force" in one_line_error(run("fit", responses_file, "--out", "link.csv"))
    assert run("fit", responses_file, "--out", "link.csv", "--force").exit_code == 0
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text().startswith("item,a,b,")


def test_a_limit_on_memory_reaches_the_reader_and_the_fit(run: Run, responses_file: Path) -> None:
    """A limit that is parsed and not passed on ends with a process that the system kills."""
    pd.read_csv(responses_file).to_parquet("x.parquet", index=False)
    fits = [json.loads(run("fit", "x.parquet", "--json", *more).stdout) for more in ((), ("--memory", "40MB"))]
    assert fits[0] == fits[1]
    line = one_line_error(run("fit", "x.parquet", "--memory", "1kB"))
    assert "memory is 1 kB, and this fit takes" in line
    assert "Give --memory " in line
    assert "few apples" in one_line_error(run("fit", "x.parquet", "--memory", "a few apples"))
