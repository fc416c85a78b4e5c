"""Pruning rules: each flags what it is for, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from psyirt.data.responses import Responses
from psyirt.diagnostics import item_fit
from psyirt.errors import InputError
from psyirt.estimation.fixed import fix
from psyirt.estimation.mml import fit_mml
from psyirt.scale.evidence import Evidence
from psyirt.scale.rules import (
    DEFAULT_RULES,
    LALOR2016_RULES,
    LocalDependence,
    NegativeDiscrimination,
    PoorFit,
    TooFlat,
    resolve_rules,
)
from psyirt.simulation import simulate_responses


def bank(slopes):
    names = [f"i{k + 1}" for k in range(len(slopes))]
    return pd.DataFrame({"a": slopes, "b": np.linspace(-1, 1, len(slopes))}, index=names)


@pytest.fixture(scope="module")
def clean():
    """A fit of 800 subjects to ten good items."""
    return fit_mml(simulate_responses(800, bank([1.5] * 10), seed=3).responses)


def with_columns(calibration, **columns):
    """The same responses with columns replaced or added, fitted again."""
    frame = calibration.responses.to_frame().assign(**columns)
    return fit_mml(Responses.from_frame(frame))


@pytest.mark.parametrize("rule", DEFAULT_RULES, ids=lambda rule: rule.name)
def test_good_items_are_left_alone(clean, rule):
    assert rule(Evidence(clean)) == []


def test_a_reversed_item_is_flagged_by_negative_discrimination_alone(clean):
    reversed_item = 1 - clean.responses.to_frame()["i5"]
    evidence = Evidence(with_columns(clean, i5=reversed_item))
    flags = NegativeDiscrimination()(evidence)
    assert [flag.item for flag in flags] == ["i5"]
    assert flags[0].value < 0
    assert TooFlat()(evidence) == []


def test_a_coin_toss_is_too_flat(clean):
    toss = np.random.default_rng(1).integers(0, 2, clean.responses.shape[0]).astype(float)
    flags = TooFlat()(Evidence(with_columns(clean, i5=toss)))
    assert [flag.item for flag in flags] == ["i5"]
    assert flags[0].value < flags[0].threshold == 0.15


def test_an_uncertain_slope_is_not_condemned_by_its_estimate():
    """Easy items of a small crowd have slopes with large errors; the estimate alone would remove them."""
    parameters = pd.DataFrame({"a": [1.5] * 7 + [0.69], "b": [0.0] * 7 + [-3.5]}, index=[f"i{k}" for k in range(8)])
    responses = simulate_responses(300, parameters, seed=5).responses
    evidence = Evidence(fix(parameters, "2PL", responses))
    assert evidence.communality["i7"] < 0.15
    assert [flag.item for flag in TooFlat(standard_errors=0.0)(evidence)] == ["i7"]
    assert TooFlat(standard_errors=1.0)(evidence) == []


def test_a_copied_item_is_locally_dependent_and_the_weaker_of_the_two_leaves(clean):
    frame = clean.responses.to_frame()
    rng = np.random.default_rng(2)
    copied = np.where(rng.random(len(frame)) < 0.6, frame["i4"], rng.integers(0, 2, len(frame)))
    evidence = Evidence(with_columns(clean, i9=copied))
    flags = LocalDependence()(evidence)
    assert len(flags) == 1
    assert flags[0].item == min(("i4", "i9"), key=lambda item: evidence.slopes[item])
    both = LocalDependence(drop_both=True)(evidence)
    assert {flag.item for flag in both} == {"i4", "i9"}


def test_an_item_in_several_dependent_pairs_leaves_first_and_settles_them_all():
    table = pd.DataFrame(
        {"statistic": 40.0, "p_adjusted": 1e-6, "cramers_v": [0.30, 0.25, 0.20], "standardized": 27.0},
        index=pd.MultiIndex.from_tuples([("a", "hub"), ("b", "hub"), ("c", "hub")], names=["item_1", "item_2"]),
    )
    stub = SimpleNamespace(
        slopes={"a": 0.8, "b": 0.9, "c": 1.0, "hub": 2.0}, local_dependence=SimpleNamespace(has_null=True, frame=table)
    )

    assert [flag.item for flag in LocalDependence()(stub)] == ["hub"]


@pytest.mark.parametrize(
    ("rule", "flagged"),
    [
        (LocalDependence(), 1),
        (LocalDependence(min_v=0.31), 0),
        (LocalDependence(alpha=1e-9), 0),
        (LocalDependence(min_standardized=28.0), 0),
    ],
)
def test_every_threshold_of_local_dependence_is_needed(rule, flagged):
    table = pd.DataFrame(
        {"statistic": [40.0], "p_adjusted": [1e-6], "cramers_v": [0.30], "standardized": [27.0]},
        index=pd.MultiIndex.from_tuples([("a", "b")], names=["item_1", "item_2"]),
    )
    stub = SimpleNamespace(slopes={"a": 1.0, "b": 2.0}, local_dependence=SimpleNamespace(has_null=True, frame=table))

    assert len(rule(stub)) == flagged


def test_negative_dependence_is_flagged_only_on_request():
    table = pd.DataFrame(
        {"statistic": [-40.0], "p_adjusted": [1e-6], "cramers_v": [-0.30], "standardized": [27.0]},
        index=pd.MultiIndex.from_tuples([("a", "b")], names=["item_1", "item_2"]),
    )
    stub = SimpleNamespace(slopes={"a": 1.0, "b": 2.0}, local_dependence=SimpleNamespace(has_null=True, frame=table))

    assert LocalDependence()(stub) == []
    assert [flag.item for flag in LocalDependence(both_signs=True)(stub)] == ["a"]


MISFIT = pd.DataFrame(
    {
        "statistic": [60.0, 50.0, 9.0],
        "df": 10.0,
        "p": [1e-8, 1e-6, 0.5],
        "p_adjusted": [3e-8, 2e-6, 0.5],
        "rmsea": [0.02, 0.08, 0.0],
        "note": "",
    },
    index=pd.Index(["significant", "both", "fine"], name="item"),
)


def test_misfit_needs_significance_and_size():
    """At thousands of subjects the p-value alone would remove everything."""
    stub = SimpleNamespace(item_fit=SimpleNamespace(has_null=True, frame=MISFIT), notes=[])
    assert [flag.item for flag in PoorFit()(stub)] == ["both"]
    assert [flag.item for flag in PoorFit(min_rmsea=0.0, one_at_a_time=False)(stub)] == ["significant", "both"]


def test_poor_fit_says_when_it_could_not_be_applied(clean):
    stub = SimpleNamespace(item_fit=item_fit(gappy(clean, 400), missing="not-valid"), notes=[])
    assert PoorFit()(stub) == []
    assert any("was not applied" in note and "not valid" in note for note in stub.notes)


def test_many_incomplete_rows_are_tested_by_ability(clean):
    """Half of the subjects left out: dropping them would halve the power, and cost the validity of what is left."""
    evidence = Evidence(gappy(clean, 400))
    assert evidence.item_fit["p"].notna().all()
    assert evidence.item_fit.frame.equals(item_fit(evidence.calibration, missing="rest-score").frame)
    assert evidence.notes == ["S-X2 groups subjects by ability: 50.0% of them answered every item"]


def test_a_few_incomplete_rows_do_not_switch_item_fit_off(clean):
    frame = clean.responses.to_frame()
    frame.iloc[0, 0] = np.nan
    evidence = Evidence(fit_mml(Responses.from_frame(frame)))
    assert evidence.item_fit["statistic"].notna().all()
    assert any("99.9% of subjects" in note for note in evidence.notes)


def test_presets_are_found_by_name_and_a_misspelt_one_is_refused():
    assert resolve_rules("Lalor2016") == LALOR2016_RULES
    with pytest.raises(InputError, match="Did you mean 'lalor2016'"):
        resolve_rules("lalor2017")


def pairs(**columns):
    return pd.DataFrame(
        {"statistic": [40.0], "p_adjusted": [1e-6], "cramers_v": [0.30], "standardized": [27.0]} | columns,
        index=pd.MultiIndex.from_tuples([("a", "b")], names=["item_1", "item_2"]),
    )


@pytest.mark.parametrize(
    ("rule", "value", "threshold"),
    [
        (LocalDependence(), 0.30, 0.15),
        (LocalDependence(alpha=1.0, min_v=0.0, min_standardized=10.0), 27.0, 10.0),
        (LocalDependence(min_v=0.0), 1e-6, 0.05),
    ],
)
def test_the_history_has_the_bound_that_was_set_and_what_crossed_it(rule, value, threshold):
    """The 2016 preset said 'V .05, threshold 0' of items that left for a standardized X2 above 10."""
    stub = SimpleNamespace(slopes={"a": 1.0, "b": 2.0}, local_dependence=SimpleNamespace(has_null=True, frame=pairs()))
    flag = rule(stub)[0]
    assert (flag.value, flag.threshold) == (value, threshold)


def test_poor_fit_names_the_effect_size_where_one_is_asked_for():
    frame = pd.DataFrame(
        {"p": [1e-9], "p_adjusted": [1e-8], "rmsea": [0.05], "statistic": [80.0], "df": [10.0], "note": [""]},
        index=["i1"],
    )
    stub = SimpleNamespace(item_fit=SimpleNamespace(has_null=True, frame=frame))
    sized, tested = PoorFit()(stub)[0], PoorFit(min_rmsea=0.0)(stub)[0]
    assert (sized.value, sized.threshold) == (0.05, 0.03)
    assert (tested.value, tested.threshold) == (1e-8, 0.05)


def test_too_flat_asks_for_standard_errors_only_where_an_item_is_flat(clean):
    """They cost more than the fit, and every round of a build would pay."""
    evidence = Evidence(clean)
    TooFlat()(evidence)
    assert "slope_errors" not in vars(evidence)


def test_too_flat_tells_the_communality_that_was_judged():
    """The estimate alone was below the bound for kept items too: it is not what decides."""
    stub = SimpleNamespace(slopes={"i1": 0.4}, slope_errors={"i1": 0.1}, communality={"i1": 0.0523})
    flag = TooFlat()(stub)[0]
    assert flag.value == pytest.approx((0.5 / 1.702) ** 2 / (1 + (0.5 / 1.702) ** 2))


@pytest.mark.parametrize(
    ("rule", "options"),
    [
        (TooFlat, {"min_communality": 1.0}),
        (TooFlat, {"standard_errors": -1.0}),
        (PoorFit, {"alpha": 1.5}),
        (PoorFit, {"min_rmsea": -0.1}),
        (PoorFit, {"one_at_a_time": "no"}),
        (LocalDependence, {"min_v": float("nan")}),
        (LocalDependence, {"alpha": "small"}),
    ],
)
def test_thresholds_out_of_range_are_refused(rule, options):
    """Such a rule would never fire, or always."""
    with pytest.raises(InputError, match=next(iter(options))):
        rule(**options)


def gappy(clean, rows):
    """The clean data with one missing answer in each of the first rows, fitted again."""
    frame = clean.responses.to_frame()
    frame.iloc[:rows, 0] = np.nan
    return fit_mml(Responses.from_frame(frame))


def test_the_share_of_complete_rows_is_enough_at_the_bound_and_not_below(clean):
    """40 of 800 incomplete is 95 % complete exactly."""
    at, below = Evidence(gappy(clean, 40)), Evidence(gappy(clean, 41))
    assert at.item_fit.frame["p"].notna().all()
    assert at.notes == ["S-X2 uses the 95.0% of subjects who answered every item"]
    assert below.item_fit.frame["p"].notna().all()
    assert below.notes == ["S-X2 groups subjects by ability: 94.9% of them answered every item"]


def test_no_rule_judges_by_a_statistic_without_a_null_distribution(clean):
    """X2 on estimated abilities grows with N whatever the item: pruned by it, a bank loses good items for nothing."""
    for name in ("X2", "G2", "infit", "outfit", "RMSD"):
        stub = SimpleNamespace(item_fit=item_fit(clean, name), notes=[])
        with pytest.raises(InputError, match=f"{name} has no null distribution"):
            PoorFit()(stub)
    stub = SimpleNamespace(local_dependence=item_fit(clean, "X2"), slopes={})
    with pytest.raises(InputError, match="no null distribution"):
        LocalDependence()(stub)
