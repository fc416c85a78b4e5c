"""The speed study, with engines made here in place of the peers: a figure it gets wrong would be believed."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from psyirt.errors import InputError
from validation.speed import environments, measure
from validation.speed.__main__ import main, measure_all, only_cores
from validation.speed.engines.harness import engine_in
from validation.speed.environments import OWN, Environment, python_of, suitable_python
from validation.speed.evaluate import log_likelihood, log_prior, quality
from validation.speed.goals import goals, growth_slope, ratio, shortfall
from validation.speed.measure import Row, Settings
from validation.speed.page import Run, as_markdown
from validation.speed.picture import decades, draw, seconds_by_size
from validation.speed.registry import ENGINES, REFERENCE, Engine, chosen_engines
from validation.speed.workloads import GUESSING, SLOPES, WORKLOADS, Truth, Workload, chosen_workloads, simulate

TINY = Workload("tiny", 40, 3)
SETTINGS = Settings(seed=4, limit=60.0, repeats=2, warm_seconds=5.0)

# what a peer's file looks like; {fit} is replaced
SCRIPT = """
import time
import numpy as np

class Engine:
    distributions = ("numpy",)

    def prepare(self, answers):
        return answers

    def fit(self, prepared, job):
        {fit}

    def estimates(self, result):
        items = len(result)
        return {{"a": np.ones(items), "intercept": result, "iterations": 3, "converged": False}}
"""
GOOD = "return np.log(prepared.mean(axis=0) / (1 - prepared.mean(axis=0)))"


def engine(folder: Path, fit: str, name: str = "peer") -> Engine:
    """An engine that runs in this environment."""
    script = folder / f"{name}.py"
    script.write_text(SCRIPT.format(fit=fit), encoding="utf-8")
    return Engine(name, script, OWN, ("2PL",), "made for the test")


def run_one(folder: Path, fit: str, settings: Settings = SETTINGS) -> Row:
    """The row of a made engine on the tiny workload."""
    truth = simulate(TINY, 4, folder / "answers.npy")
    return measure.measure(engine(folder, fit), TINY, truth, folder, folder, settings)


@pytest.mark.parametrize(("share", "model"), [(1.0, "2PL"), (0.6, "2PL"), (0.8, "3PL")])
def test_common_log_likelihood_is_the_integral(share: float, model: str, tmp_path: Path) -> None:
    """All engines are ranked by it: an error here would rank them wrongly."""
    workload = Workload("judge", 7, 4, model, observed=share)
    truth = simulate(workload, 3, tmp_path / "answers.npy")
    answers = np.load(tmp_path / "answers.npy")
    theta, step = np.linspace(-6.0, 6.0, 20_001, retstep=True)
    total = 0.0
    for row in answers:
        product = norm.pdf(theta)
        for item, answer in enumerate(row):
            chance = truth.c[item] + (1 - truth.c[item]) * expit(truth.a[item] * theta + truth.intercept[item])
            if answer >= 0:
                product = product * (chance if answer else 1.0 - chance)
        total += math.log(product.sum() * step)
    assert log_likelihood(answers, truth, 481) == pytest.approx(total, abs=1e-6)


def test_log_likelihood_does_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A row or an item lost between two blocks would go unseen in every small test."""
    truth = simulate(Workload("blocks", 30, 11, observed=0.9), 5, tmp_path / "answers.npy")
    answers = np.load(tmp_path / "answers.npy")
    whole = log_likelihood(answers, truth, 61)
    monkeypatch.setattr("validation.speed.evaluate._ITEMS", 4)
    monkeypatch.setattr("validation.speed.evaluate._CELLS", 61 * 7)
    assert log_likelihood(answers, truth, 61) == pytest.approx(whole, rel=1e-12)


def test_estimates_that_cannot_be_used_have_no_log_likelihood(tmp_path: Path) -> None:
    """An item without estimates left out in silence would raise the log-likelihood of a failed fit."""
    truth = simulate(TINY, 4, tmp_path / "answers.npy")
    answers = np.load(tmp_path / "answers.npy")
    found = {"a": truth.a, "intercept": truth.intercept}
    exact = quality(answers, found, truth, TINY)
    assert exact.loglik == exact.objective == log_likelihood(answers, truth, TINY.nodes)
    assert exact.rmse_a == exact.rmse_intercept == 0.0
    holed = quality(answers, {**found, "a": np.array([1.0, np.nan, 1.0])}, truth, TINY)
    assert (holed.loglik, holed.without) == (None, 1)
    short = quality(answers, {"a": truth.a[:2], "intercept": truth.intercept[:2]}, truth, TINY)
    assert (short.loglik, short.without) == (None, 3)
    # an item that all got right has no finite estimate: it is left out of the measure, for every engine
    answers[:, 1] = 1
    assert quality(answers, {**found, "a": np.array([truth.a[0], np.nan, truth.a[2]])}, truth, TINY).rmse_a == 0.0


def test_log_posterior_counts_each_prior() -> None:
    """With priors an engine maximises the log-posterior: the log-likelihood alone would call the best fit short."""
    items = Truth(np.array([0.7, 1.5]), np.zeros(2), np.array([0.1, 0.3]))
    assert log_prior(items, replace(TINY, priors=GUESSING)) == pytest.approx(2 * math.log(72) + sum(
        math.log(c) + 7 * math.log(1 - c) for c in (0.1, 0.3)))  # fmt: skip
    by_hand = sum(norm.logpdf(math.log(a), 0.0, 0.5) - math.log(a) for a in (0.7, 1.5))
    assert log_prior(items, replace(TINY, priors=SLOPES)) == pytest.approx(by_hand)
    at_bound = replace(items, c=np.array([0.0, 0.3]))
    assert log_prior(at_bound, replace(TINY, priors=GUESSING)) == -math.inf


def test_same_seed_gives_the_same_answers(tmp_path: Path) -> None:
    """Engines compared on different data are not compared; nor are two runs of which one chose fewer workloads."""
    sparse = Workload("sparse", 500, 40, observed=0.1)
    truths = [simulate(sparse, 1, tmp_path / f"{k}.npy") for k in range(2)]
    first, second = (np.load(tmp_path / f"{k}.npy") for k in range(2))
    assert np.array_equal(first, second)
    assert np.array_equal(truths[0].a, truths[1].a)
    assert np.mean(first >= 0) == pytest.approx(0.1, abs=0.01)
    simulate(sparse, 2, tmp_path / "other.npy")
    assert not np.array_equal(first, np.load(tmp_path / "other.npy"))


def test_answers_follow_the_truth(tmp_path: Path) -> None:
    """RMSE to a truth the answers were not drawn from says nothing."""
    truth = simulate(Workload("check", 40_000, 3, "3PL"), 1, tmp_path / "answers.npy")
    theta = np.linspace(-6.0, 6.0, 401)[:, None]
    chance = truth.c + (1 - truth.c) * expit(truth.a * theta + truth.intercept)
    expected = np.average(chance, axis=0, weights=norm.pdf(theta[:, 0]))
    assert np.load(tmp_path / "answers.npy").mean(axis=0) == pytest.approx(expected, abs=0.012)


def test_a_fit_is_measured(tmp_path: Path) -> None:
    """The seconds and the estimates must be those of the fit."""
    row = run_one(tmp_path, "time.sleep(0.05); " + GOOD)
    assert (row.status, row.note, row.iterations) == ("ok", "says it did not converge", 3)
    assert row.warm_fits >= 2
    for seconds in (row.warm_fit, row.warm_whole, row.first_fit):
        assert seconds is not None
        assert 0.05 <= seconds < 1.0
    assert row.cold is not None
    assert row.cold >= row.first_fit
    assert row.warm_cpu is not None
    assert row.warm_cpu < 0.05
    assert row.peak_bytes is not None
    assert 1e7 < row.peak_bytes < 1e9
    assert row.versions["numpy"] == np.__version__
    shares = np.load(tmp_path / "answers.npy").mean(axis=0)
    found = Truth(np.ones(3), np.log(shares / (1 - shares)), np.zeros(3))
    assert row.quality is not None
    assert row.quality.loglik == log_likelihood(np.load(tmp_path / "answers.npy"), found, TINY.nodes)


@pytest.mark.parametrize(
    ("fit", "limit", "status", "note"),
    [
        ("raise ValueError('no good')", 60.0, "failed", "ValueError: no good (exit status 1)"),
        ("import os; os._exit(9)", 60.0, "failed", "no message (exit status 9)"),
        ("time.sleep(60)", 1.5, "time limit", "ended at the time limit after the stage '"),
    ],
)
def test_a_failing_peer_is_a_row(fit: str, limit: float, status: str, note: str, tmp_path: Path) -> None:
    """One peer that fails must not cost the figures of all the others."""
    row = run_one(tmp_path, fit, replace(SETTINGS, limit=limit))
    assert row.status == status
    assert row.note.startswith(note)
    assert row.fit is None
    assert row.quality is None


def test_a_failure_with_an_empty_cache_is_told(tmp_path: Path) -> None:
    """Our own row may not look whole when the first of its two processes failed."""
    fit = f"assert job['warm'], 'cold'; {GOOD}"
    truth = simulate(TINY, 4, tmp_path / "answers.npy")
    ours = replace(engine(tmp_path, fit), name=REFERENCE)
    row = measure.measure(ours, TINY, truth, tmp_path, tmp_path, SETTINGS)
    assert row.status == "ok"
    assert row.note.endswith("with an empty cache of compiled code: AssertionError: cold (exit status 1)")
    assert row.absent_cold is None
    assert row.cold is not None


def test_a_slow_peer_keeps_its_first_fit(tmp_path: Path) -> None:
    """A fit that took most of the time limit is a figure too."""
    row = run_one(tmp_path, "time.sleep(0.3); " + GOOD, replace(SETTINGS, warm_seconds=0.1))
    assert row.status == "ok"
    assert row.warm_fit is None
    assert row.fit == row.first_fit
    assert row.quality is not None
    assert row.quality.loglik is not None


def test_an_environment_that_cannot_be_made_is_a_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without network or an old enough Python the rest is still measured."""
    truth = simulate(TINY, 4, tmp_path / "answers.npy")
    old = replace(engine(tmp_path, GOOD), environment=Environment("old", (), below=(3, 9)))
    row = measure.measure(old, TINY, truth, tmp_path, tmp_path, SETTINGS)
    assert row.status == "not installed"
    assert "needs a Python below 3.9" in row.note
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'ERROR: no index' >&2; echo 'a notice' >&2; exit 1\n", "utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(environments, "suitable_python", lambda _: str(broken))
    row = measure.measure(old, TINY, truth, tmp_path, tmp_path, SETTINGS)
    assert row.note == "old: cannot be installed (ERROR: no index). See that pip works."


def test_an_environment_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Minutes of installing at every run, or an environment of last year's requirements, would both go unnoticed."""
    made: list[list[str]] = []
    monkeypatch.setattr(environments, "_run", lambda command, _: made.append(command))
    (tmp_path / "new" / "bin").mkdir(parents=True)
    (tmp_path / "new" / "bin" / "python").touch()
    for requirements, commands in ((("one==1",), 2), (("one==1",), 2), (("one==2",), 4)):
        python_of(Environment("new", requirements), tmp_path)
        assert len(made) == commands
    assert made[-1][-1] == "one==2"
    assert suitable_python(Environment("new", ())) == sys.executable


def made_row(workload: str, name: str, seconds: float, **more: object) -> Row:
    """A row of a given fit time."""
    return replace(Row(workload, name, "ok", warm_fit=seconds, warm_cpu=seconds, iterations=10), **more)  # type: ignore[arg-type]


def test_ratios_and_goals() -> None:
    """A ratio upside down would turn every miss into a success."""
    ours = made_row("2pl-1000x90", REFERENCE, 0.01, errors=0.1)
    theirs = made_row("2pl-1000x90", "theta-irt", 0.075)
    assert ratio(theirs, ours) == pytest.approx(7.5)
    found = {goal.words: goal for goal in goals([ours, theirs], {})}
    assert not found["2pl-1000x90: 8 times faster than theta-irt"].met
    assert found["2pl-1000x90: 100 times R mirt's recorded CPU seconds"].measured == pytest.approx(118)
    slow = found["2pl-1000x90 with standard errors: 100 times R mirt's recorded CPU seconds"]
    assert (slow.measured, slow.met) == (pytest.approx(5.4 / 0.11), False)
    assert len(found) == 3
    assert shortfall(theirs, ours) is None


def test_growth_is_of_the_seconds_per_iteration() -> None:
    """Seconds of whole fits would mix how the cost grows with how many iterations a size needs."""
    sizes = {"small": 1_000, "middle": 10_000, "large": 100_000}
    rows = [made_row(name, REFERENCE, n * 1e-6 * k, iterations=10 * k) for k, (name, n) in enumerate(sizes.items(), 1)]
    assert growth_slope(rows, sizes) == pytest.approx(1.0)
    assert growth_slope(rows[:1], sizes) is None


def test_page_and_json_hold_every_row(tmp_path: Path) -> None:
    """What is not on the page was measured for nothing."""
    peers = (engine(tmp_path, GOOD, "good"), engine(tmp_path, "raise ValueError('bad | luck')", "bad"))
    page = measure_all(peers, (TINY,), SETTINGS, tmp_path, tmp_path)
    assert (tmp_path / "results.md").read_text("utf-8") == page
    assert "| bad |" in page
    assert "ValueError: bad / luck" in page
    content = json.loads((tmp_path / "results.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert [row["status"] for row in content["rows"]] == ["ok", "failed"]
    assert content["finished"] is not None
    assert content["machine"]["cores"] >= 1
    assert content["rows"][0]["quality"]["loglik"] < 0
    assert not list(tmp_path.glob(".*"))


def test_picture_is_drawn_where_it_can_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An engine that the picture does not know, or an absent library, must not cost the run its table."""
    run = Run({}, "", "", SETTINGS, ENGINES, (TINY,), [made_row("tiny", name, 0.5) for name in (REFERENCE, "unknown")])
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "needs vl_convert" in draw(run, tmp_path)
    monkeypatch.undo()
    pytest.importorskip("vl_convert")
    pytest.importorskip("altair")
    assert "(results.svg)" in draw(run, tmp_path)
    assert "unknown" in (tmp_path / "results.svg").read_text("utf-8")
    assert (tmp_path / "results.png").read_bytes().startswith(b"\x89PNG")


def test_unfinished_run_says_so() -> None:
    """A table cut short by an interrupt must not pass for the whole."""
    run = Run(dict.fromkeys(("processor", "usable_cores", "cores", "memory", "system", "python", "psyirt"), "?"),
              "now", "", SETTINGS, ENGINES[:1], (TINY,), [])  # fmt: skip
    assert "NOT FINISHED" in as_markdown(run, "")


def test_picture_is_of_comparable_fits() -> None:
    """Sparse data, priors and other models on one line would show a bend that is none."""
    names = [workload.name for workload in WORKLOADS]
    rows = [made_row(name, REFERENCE, 1.0) for name in names]
    drawn = seconds_by_size(Run({}, "", "", SETTINGS, ENGINES, WORKLOADS, rows))
    ours = drawn[drawn["engine"] == REFERENCE]
    assert len(ours) == sum(name.startswith(("2pl-", "growth-")) for name in names)
    assert set(drawn["seconds"]) == {1.0, 1.18, 5.0, 17.8, 93.0}
    assert decades(drawn["responses"]) == [1e4, 1e5, 1e6, 1e7, 1e8]
    assert decades(drawn["seconds"] * 0 + 10.0) == [10.0, 100.0]


def test_choices() -> None:
    """A misspelt name that chose nothing, or everything, would be found after an hour."""
    assert [w.name for w in chosen_workloads(["2pl-1000x90", "sparse*"], False)] == ["2pl-1000x90", "sparse-14369x280"]
    assert chosen_workloads([], True)
    assert chosen_workloads([], False) == WORKLOADS
    assert [e.name for e in chosen_engines(["girth"], False)] == [REFERENCE, "girth"]
    assert {e.name for e in ENGINES} - {e.name for e in chosen_engines([], True)} == {"py-irt", "py-irt, hierarchical"}
    with pytest.raises(InputError, match="no workload is called 'tiny'"):
        chosen_workloads(["tiny"], False)
    with pytest.raises(InputError, match="no engine is called 'girt'"):
        chosen_engines(["girt"], False)


def test_who_is_not_run_says_why() -> None:
    """An empty cell could be read as a failure."""
    by_name = {e.name: e for e in ENGINES}
    three = next(w for w in WORKLOADS if w.name == "3pl-1000x90")
    assert by_name["py-irt"].why_not(three) == "not run: no comparable 3PL"
    assert by_name["girth"].why_not(replace(TINY, priors=SLOPES)) == "not run: no comparable prior on slopes"
    assert "psyirt alone" in by_name["girth"].why_not(replace(TINY, psyirt_only=True))
    assert all(not e.why_not(TINY) for e in ENGINES)
    assert not by_name[REFERENCE].why_not(replace(TINY, psyirt_only=True, priors=SLOPES))


def test_unusable_options_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They must end in one line, before anything is simulated."""
    (tmp_path / "file").write_text("", "utf-8")
    assert main(["--out", str(tmp_path / "file")]) == 2
    assert "cannot write here" in capsys.readouterr().err
    assert main(["--out", str(tmp_path), "--workloads", "none"]) == 2
    with pytest.raises(InputError, match="--cores"), only_cores(100_000):
        pass


@pytest.mark.filterwarnings("ignore:1 constant item is set aside:psyirt.errors.DataWarning")
def test_our_own_engine_gives_each_item_its_estimates(tmp_path: Path) -> None:
    """An item that psyirt sets aside must not shift the estimates of those after it."""
    workload = Workload("own", 300, 12)
    truth = simulate(workload, 2, tmp_path / "answers.npy")
    answers = np.load(tmp_path / "answers.npy")
    answers[:, 4] = 1
    ours = engine_in(str(ENGINES[0].script))()
    result = ours.fit(ours.prepare(answers), {"model": "2PL", "priors": {"a": ("lognormal", 0.0, 0.5)}})
    found = ours.estimates(result)
    assert np.isnan(found["a"]).tolist() == np.isnan(found["intercept"]).tolist() == [k == 4 for k in range(12)]
    assert np.nanmax(np.abs(found["intercept"] - truth.intercept)) < 0.8
    assert found["converged"]
    assert len(ours.standard_errors(result)) == 22


def test_engines_import_nothing_of_psyirt() -> None:
    """They run where psyirt is not installed."""
    folder = ENGINES[0].script.parent
    files = sorted(folder.glob("*.py"))
    assert {e.script for e in ENGINES} <= set(files)
    for path in files:
        lines = [line.split() for line in path.read_text("utf-8").splitlines()]
        imported = {words[1].split(".")[0] for words in lines if words and words[0] in ("import", "from")}
        assert "validation" not in imported
        assert ("psyirt" in imported) == (path.name == "psyirt_engine.py")


def test_reported_log_likelihood_is_set_beside_the_common_one(tmp_path: Path) -> None:
    """Nodes too far apart for a long test show in what an engine reports, and nowhere else."""
    told = GOOD.replace("return", "self.own = -77.25; return")
    script = SCRIPT.replace('"converged": False', '"converged": False, "loglik": self.own').format(fit=told)
    (tmp_path / "peer.py").write_text(script, encoding="utf-8")
    page = measure_all(
        (Engine("peer", tmp_path / "peer.py", OWN, ("2PL",), ""),), (TINY,), SETTINGS, tmp_path, tmp_path
    )
    row = json.loads((tmp_path / "results.json").read_text("utf-8"))["rows"][0]
    assert row["reported"] == -77.25
    assert f"reports a log-likelihood {-77.25 - row['quality']['loglik']:+.1e} from the common one" in page
