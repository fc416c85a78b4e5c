"""simulate_crowd_study: the study behind the demo, whose planted faults the scale builder is measured on."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from psyirt.errors import InputError
from psyirt.simulation import crowd_items
from psyirt.simulation.crowd_items import GroupItems, checked_faults, draw_group, draw_group_outcomes
from psyirt.simulation.crowd_labels import short_codes
from psyirt.simulation.crowd_study import CrowdStudy, simulate_crowd_study

GROUPS = ("entailment", "contradiction", "neutral")


@pytest.fixture(scope="module")
def study() -> CrowdStudy:
    return simulate_crowd_study(seed=1)


def one_fault(fault: str, seed: int = 3) -> tuple[GroupItems, list[int]]:
    """A class with one planted fault, and the positions of its items."""
    items = draw_group("neutral", 12, checked_faults({fault: 1}, 12), np.random.default_rng(seed))
    return items, [k for k, kind in enumerate(items.faults) if kind == fault]


def test_same_seed_same_bits_other_seed_other(study: CrowdStudy) -> None:
    """The demo's numbers are printed in the README: they must come out again."""
    again, other = simulate_crowd_study(seed=1), simulate_crowd_study(seed=2)
    for name in ("worker_index", "item_index", "label_index"):
        assert (getattr(study.labels, name) == getattr(again.labels, name)).all()
    pd.testing.assert_frame_equal(study.truth, again.truth, check_exact=True)
    pd.testing.assert_frame_equal(study.systems.to_frame(), again.systems.to_frame())
    assert study.responses.digest == again.responses.digest != other.responses.digest


def test_shape_is_that_of_the_2016_study(study: CrowdStudy) -> None:
    """The demo promises about 1000 workers, 3 classes x 30 items, parameters spread as Table 4, 3 systems."""
    assert study.truth.groupby("group").size().to_dict() == dict.fromkeys(GROUPS, 30)
    assert len(study.labels.worker_names) == 1000
    assert len(study.labels.item_names) == 95
    assert study.systems.worker_names == ("system-low", "system-middle", "system-high")
    good = study.truth[study.truth["fault"] == ""]
    assert good["a"].between(0.78, 3.60).all()
    assert good["b"].between(-3.25, 1.28).all()
    assert good["b"].max() - good["b"].min() > 3.8
    hardest = good.groupby("group")["b"].max()
    assert hardest["entailment"] <= -1.90
    assert hardest["neutral"] <= -0.55


def test_labels_grade_back_to_the_outcomes(study: CrowdStudy) -> None:
    """If labels, codes and gold did not match the outcomes, the demo would calibrate noise and blame the items."""
    graded = study.labels.grade(study.label_map)
    codes = graded.select(items=study.truth.index.tolist()).codes
    answered = codes >= 0
    assert (codes[answered] == study.responses.codes[answered]).all()
    assert int((~answered).sum()) == 3
    assert study.labels.label_set == ("c", "e", "n", "na")


def test_labels_without_a_map_read_the_same(study: CrowdStudy) -> None:
    """Short codes that no option begins with would force a map on the demo."""
    with_map, without = study.labels.grade(study.label_map), study.labels.grade()
    assert (with_map.codes == without.codes).all()


def test_attention_rule_catches_the_careless(study: CrowdStudy) -> None:
    """Random answerers that stay flatten every slope; attentive workers must not be thrown out in numbers."""
    removed = set(study.labels.screen(study.attention_rule, study.label_map).removed.index)
    careless = set(study.careless)
    assert len(careless) == 20
    # a random answerer passes with probability 11 / 243, an attentive worker fails with probability .001
    assert len(careless - removed) <= 4
    assert len(removed - careless) <= 5


def test_careless_workers_answer_at_random(study: CrowdStudy) -> None:
    """A careless worker who still knows the answers would plant no fault at all."""
    right = study.responses.select(subjects=list(study.careless)).codes
    assert abs(right.mean() - 1 / 3) < 4 * math.sqrt(2 / 9 / right.size)


def test_wrong_answers_are_other_labels() -> None:
    """A wrong answer drawn among all labels would sometimes be right, and theta would be off."""
    study = simulate_crowd_study(400, ("aye", "nay"), 10, seed=5, careless=0.0, unanswered=0, faults={})
    theta = study.theta["aye"].to_numpy()
    truth = study.truth[study.truth["group"] == "aye"]
    expected = 1 / (1 + np.exp(-(theta[:, None] * truth["a"].to_numpy() + truth["intercept"].to_numpy())))
    right = study.responses.codes[:, :10]
    spread = np.sqrt((expected * (1 - expected)).sum(axis=0))
    assert (np.abs((right - expected).sum(axis=0)) < 4 * spread).all()


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_abilities_correlate_as_stated(correlation: float) -> None:
    """Scales built per class are compared with one another: the truth must be known."""
    theta = simulate_crowd_study(20_000, items_per_group=4, faults={}, seed=3, ability_correlation=correlation).theta
    found = np.corrcoef(theta.to_numpy().T)[np.triu_indices(3, 1)]
    assert np.abs(found - correlation).max() < 4 * (1 - correlation**2) / math.sqrt(20_000)
    assert np.abs(theta.var() - 1).max() < 4 * math.sqrt(2 / 20_000)


def test_dependent_pair_is_dependent_beyond_the_model() -> None:
    """A pair that only shares theta would be no fault, and finding none of them no failure."""
    items, (first, second) = one_fault("dependent pair")
    theta = np.zeros(20_000)
    outcomes = draw_group_outcomes(items, theta, np.random.default_rng(4))
    phi = np.corrcoef(outcomes.T)
    assert abs(phi[first, second] - crowd_items.COPY_SHARE) < 0.03
    phi[[first, second], [second, first]] = 0.0
    assert np.abs(phi - np.eye(12)).max() < 4.5 / math.sqrt(20_000)
    # each of the two still follows the 2PL: only their dependence is wrong
    p = 1 / (1 + math.exp(-items.parameters.intercepts[first]))
    assert np.abs(outcomes[:, [first, second]].mean(axis=0) - p).max() < 4 * math.sqrt(p * (1 - p) / 20_000)


def test_non_monotone_item_rises_then_falls() -> None:
    """A curve that keeps rising is a good item, and removing it would be counted as a success."""
    items, (at,) = one_fault("non-monotone")

    def share(theta: float) -> float:
        outcomes = draw_group_outcomes(items, np.full(4000, theta), np.random.default_rng(4))
        return float(outcomes[:, at].mean())

    assert share(-3.0) < 0.06
    assert share(0.1) > 0.9
    assert abs(share(3.0) - 0.3) < 0.05


def test_flat_item_hardly_depends_on_ability() -> None:
    """A flat item with an ordinary slope would not be a fault."""
    items, (at,) = one_fault("flat")
    slope, intercept = items.parameters.slopes[at, 0], items.parameters.intercepts[at]
    assert 0.2 <= slope <= 0.3
    assert 0.6 <= 1 / (1 + math.exp(-intercept)) <= 0.8
    outcomes = draw_group_outcomes(items, np.full(20_000, 2.0), np.random.default_rng(4))
    assert abs(outcomes[:, at].mean() - 1 / (1 + math.exp(-(2 * slope + intercept)))) < 4 * 0.5 / math.sqrt(20_000)


def test_faults_are_recorded_once(study: CrowdStudy) -> None:
    """The demo counts faults found out of faults planted: a pair counts once and names both of its items."""
    assert study.faults.groupby(["group", "fault"]).size().to_dict() == {
        (group, fault): 1 for group in GROUPS for fault in crowd_items.FAULT_ITEMS
    }
    pairs = study.faults[study.faults["fault"] == "dependent pair"]
    for first, second in pairs["partner"].items():
        assert study.truth.loc[second, "partner"] == first
        assert study.truth.loc[second, "fault"] == "dependent pair"
        assert study.truth.loc[first, "a"] == study.truth.loc[second, "a"]
    assert (study.truth["fault"] != "").sum() == 12
    assert (study.faults.loc[study.faults["fault"] != "dependent pair", "partner"] == "").all()


def test_able_systems_do_better() -> None:
    """Systems in the wrong order would make the demo's scores contradict the truth it prints."""
    systems = {"weak": -2.0, "strong": 3.0}
    study = simulate_crowd_study(50, items_per_group=40, seed=2, faults={}, systems=systems)
    right = study.systems.grade().to_frame().mean(axis=1)
    assert right["strong"] > right["weak"] + 0.2
    assert study.system_theta.to_dict() == systems
    assert set(study.systems.item_names) == set(study.truth.index)
    assert study.systems.label_set == tuple(sorted(GROUPS))


@pytest.mark.parametrize(
    ("groups", "codes"),
    [
        (("entailment", "contradiction", "neutral"), ["e", "c", "n"]),
        (("neutral", "nature"), ["ne", "nat"]),  # "na" means unanswered
        (("a", "ab"), ["a", "ab"]),
        (("Yes", "yellow"), ["yes", "yel"]),
    ],
)
def test_codes_tell_the_classes_apart(groups: tuple[str, ...], codes: list[str]) -> None:
    """Two classes with one code, or a code that reads as "na", would be graded wrongly."""
    found = short_codes(groups)
    assert list(found) == codes
    assert list(found.values()) == list(groups)


def test_class_named_like_no_answer_is_refused() -> None:
    """Its label would be read as unanswered."""
    with pytest.raises(InputError, match="reads as unanswered"):
        simulate_crowd_study(50, ("na", "yes"), 10, seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": None}, "seed is None"),
        ({"workers": 1}, "workers is 1"),
        ({"groups": ("one",)}, "at least two"),
        ({"groups": "entailment"}, "at least two"),
        ({"groups": ("A", "a")}, "that differ"),
        ({"groups": ("attention", "yes")}, "none of them 'attention'"),
        ({"items_per_group": 6}, "4 are faulty"),
        ({"faults": {"dependant pair": 1}}, "no fault is called 'dependant pair'"),
        ({"faults": {"flat": -1}}, "'flat'"),
        ({"ability_correlation": 1.1}, "ability_correlation is 1.1"),
        ({"careless": 0.999}, "all 50 workers are careless"),
        ({"careless": -0.1}, "careless is -0.1"),
        ({"unanswered": 50 * 90}, "There are 4410 answers in all"),
        ({"systems": {}}, "systems are {}"),
        ({"systems": {"one": math.nan}}, "finite ability"),
    ],
)
def test_bad_options_are_refused_in_one_line(options: dict[str, object], message: str) -> None:
    """A number out of range must not quietly become another study."""
    with pytest.raises(InputError, match=message) as caught:
        simulate_crowd_study(**({"workers": 50, "seed": 1} | options))  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 3}, "groups are 3"),
        ({"faults": 3}, "faults is a int"),
        ({"systems": {"good": "able"}}, "systems are"),
        ({"systems": ["good"]}, "systems is a list"),
    ],
)
def test_arguments_of_another_type_are_refused_in_one_line(arguments, message) -> None:
    """A TypeError from inside does not say which argument was wrong."""
    with pytest.raises(InputError, match=message):
        simulate_crowd_study(seed=1, **arguments)
