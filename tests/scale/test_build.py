"""The builder's loop: what leaves, in which order, with which reason, and when there is no scale."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from psyirt.data.labels import CrowdLabels
from psyirt.data.responses import Responses
from psyirt.errors import InputError
from psyirt.estimation.mml import fit_mml
from psyirt.estimation.options import MMLOptions
from psyirt.scale.build import build_scale
from psyirt.scale.group_builder import HISTORY_COLUMNS
from psyirt.scale.holdout import holdout_line
from psyirt.scale.options import BuildOptions
from psyirt.scale.rules import LocalDependence, NegativeDiscrimination, RunawaySlope, TooFlat
from psyirt.simulation import simulate_responses

QUICK = BuildOptions(test_guessing=False)


def good(items=10, subjects=800, seed=3, prefix="i", slope=1.5):
    names = [f"{prefix}{k + 1}" for k in range(items)]
    bank = pd.DataFrame({"a": slope, "b": np.linspace(-1.2, 1.2, items)}, index=names)
    return simulate_responses(subjects, bank, seed=seed).responses.to_frame()


@pytest.fixture(scope="module")
def faulty():
    """Ten good items, one that is nearly a coin toss, a reversed one and a constant one."""
    frame = good(11)
    rng = np.random.default_rng(1)
    turned = 1 - frame.pop("i11")
    toss = np.where(rng.random(len(frame)) < 0.15, frame["i3"], rng.integers(0, 2, len(frame)))
    return Responses.from_frame(frame.assign(toss=toss, turned=turned, constant=1))


@pytest.fixture(scope="module")
def built(faulty):
    return build_scale(faulty, options=QUICK, exclude={"i10": "its text is garbled"})


def test_every_fault_leaves_under_its_own_rule_and_every_good_item_stays(built):
    rules = built.history.set_index("item")["rule"].to_dict()
    assert rules == {
        "i10": "excluded by you",
        "constant": "constant item",
        "turned": "negative discrimination",
        "toss": "too flat",
    }
    assert set(built.scales["all"].item_names) == {f"i{k}" for k in range(1, 10)}


def test_the_history_starts_with_the_users_exclusions_and_tells_value_and_threshold(built):
    history = built.history
    assert tuple(history.columns) == HISTORY_COLUMNS
    assert history.iloc[0][["iteration", "item", "reason"]].tolist() == [0, "i10", "its text is garbled"]
    assert history["iteration"].is_monotonic_increasing
    flat = history.set_index("item").loc["toss"]
    assert flat["value"] < flat["threshold"] == 0.15


def test_one_rule_decides_each_round(built):
    """Removing for two reasons at once would blame items for the faults of others."""
    rounds = built.history[built.history["rule"] != "constant item"].groupby("iteration")["rule"].nunique()
    assert rounds.max() == 1


def test_a_build_is_the_same_twice_and_does_not_depend_on_the_order_of_subjects(faulty):
    rules = (NegativeDiscrimination(), TooFlat(), LocalDependence())
    order = np.random.default_rng(0).permutation(faulty.shape[0])
    shuffled = faulty.select(subjects=[faulty.subject_names[k] for k in order])
    one, two, three = (build_scale(each, None, rules, options=QUICK) for each in (faulty, faulty, shuffled))
    pd.testing.assert_frame_equal(one.history, two.history)
    assert one.scales["all"].items.equals(two.scales["all"].items)
    assert list(three.history["item"]) == list(one.history["item"])
    numbers = ["a", "b"]
    np.testing.assert_allclose(three.scales["all"].items[numbers], one.scales["all"].items[numbers], atol=1e-9)


def test_the_summary_puts_quality_before_removals(built):
    text = built.summary()
    assert text.index("reliability") < text.index("left under")
    assert repr(built) == text


def test_groups_are_built_apart_and_come_from_a_column_or_a_mapping():
    frame = pd.concat([good(6, 400, 1, "e"), good(6, 400, 2, "n")], axis=1)
    info = pd.DataFrame({"gold": ["entailment"] * 6 + ["neutral"] * 6, "n_options": 3}, index=frame.columns)
    responses = Responses.from_frame(frame, item_info=info)
    by_column = build_scale(responses, "gold", options=QUICK)
    by_mapping = build_scale(responses, info["gold"].to_dict(), options=QUICK)
    assert list(by_column.scales) == ["entailment", "neutral"]
    assert by_column.scales["neutral"].items.equals(by_mapping.scales["neutral"].items)
    assert by_column.scales["neutral"].key == {f"n{k}": "neutral" for k in range(1, 7)}
    assert by_column.scales["neutral"].label_set == ("entailment", "neutral")


def test_too_few_items_end_without_a_scale_and_say_so():
    frame = good(3, 300)
    build = build_scale(Responses.from_frame(frame), options=QUICK)
    assert build.scales == {}
    assert build.groups["all"].reasons == ("3 items remain, a scale needs 5",)
    assert "NO SCALE" in build.summary()


def test_noise_ends_without_a_scale():
    """Items that measure nothing in common must not come out as a scale."""
    table = np.random.default_rng(4).integers(0, 2, (500, 12))
    build = build_scale(Responses.from_array(table), options=QUICK)
    assert build.scales == {}
    assert build.groups["all"].reasons


def test_two_abilities_are_no_scale():
    """A group in which two unrelated abilities are mixed half and half must not be sold as one."""
    frame = pd.concat([good(8, 1000, 1, "x"), good(8, 1000, 2, "y")], axis=1)
    rules = (NegativeDiscrimination(),)
    build = build_scale(Responses.from_frame(frame), rules=rules, options=QUICK)
    assert build.scales == {}
    assert any("one ability alone does not explain" in reason for reason in build.groups["all"].reasons)


def test_noisy_correlations_of_easy_items_are_not_taken_for_a_second_ability():
    """Tetrachoric correlations of items that nearly everyone gets right are noise; so is their second eigenvalue."""
    bank = pd.DataFrame({"a": 1.6, "b": np.linspace(-3.2, -2.0, 20)}, index=[f"i{k}" for k in range(20)])
    responses = simulate_responses(300, bank, seed=2).responses
    strict = BuildOptions(test_guessing=False, min_eigenvalue_ratio=100.0)
    assert list(build_scale(responses, rules=(), options=strict).scales) == ["all"]


def test_fewer_than_three_items_is_a_reason_and_not_an_exception():
    build = build_scale(Responses.from_frame(good(2, 100)), options=QUICK)
    assert build.groups["all"].reasons == ("only 2 items were given",)


def test_the_holdout_checks_fit_on_subjects_who_took_no_part():
    responses = Responses.from_frame(good())
    build = build_scale(responses, options=QUICK, holdout=0.3, seed=7)
    group = build.groups["all"]
    assert group.calibration is not None
    assert group.calibration.nobs == 560
    assert group.holdout is not None
    assert group.holdout["statistic"].notna().all()
    assert len(group.holdout) == len(build.scales["all"].item_names)
    again = build_scale(responses, options=QUICK, holdout=0.3, seed=8).groups["all"]
    assert again.calibration is not None
    assert again.calibration.loglik != group.calibration.loglik


def test_an_item_that_needs_guessing_stays_3pl_and_easy_items_show_the_lack_of_power():
    items = 16
    bank = pd.DataFrame(
        {"a": 2.0, "b": np.linspace(-2.5, 1.0, items), "c": [0.0] * (items - 1) + [0.35]},
        index=[f"i{k}" for k in range(items)],
    )
    model = dict.fromkeys(bank.index, "2PL") | {f"i{items - 1}": "3PL"}
    responses = simulate_responses(2000, bank, seed=1).responses
    build = build_scale(responses)
    table = build.groups["all"].guessing
    assert table is not None
    assert table["flag"].to_dict() == {name: name == f"i{items - 1}" for name in bank.index}
    assert table.loc["i0", "power"] < 0.1 < 0.9 < table.loc["i14", "power"]
    assert build.scales["all"].items["model"].to_dict() == model


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "class"}, "items have no column 'class'"),
        ({"groups": {"i1": "x"}}, "9 items have no group"),
        ({"groups": {"zz": "x"}}, "unknown item 'zz'"),
        ({"exclude": {"zz": "because"}}, "excluded item 'zz' is unknown"),
        ({"rules": "strict"}, "no preset is called 'strict'"),
        ({"holdout": 1.5}, "a holdout of 1.5"),
        ({"holdout": 0.0001}, "a holdout of 0.0001 of 100 subjects holds out nobody"),
        ({"holdout": 0.9999}, "holds out everybody"),
        ({"exclude": {"i1": None}}, "the reason for 'i1' is a NoneType"),
        ({"groups": {f"i{k}": None if k == 3 else "x" for k in range(1, 11)}}, "1 items have no group.*'i3'"),
        ({"groups": {f"i{k}": " " if k == 3 else "x" for k in range(1, 11)}}, "1 items have no group.*'i3'"),
    ],
)
def test_what_does_not_fit_the_data_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        build_scale(Responses.from_frame(good(10, 100)), **options)


@pytest.mark.parametrize(
    "options",
    [
        {"adjust": "bonferroni"},
        {"min_items": 2},
        {"max_removed_share": 0.0},
        {"max_removed_share": 1.5},
        {"min_complete_share": 0.0},
        {"min_eigenvalue_ratio": -1.0},
        {"min_items": 5.5},
        {"test_guessing": "yes"},
        {"mml": "fast"},
    ],
)
def test_options_no_build_can_use_are_refused(options):
    with pytest.raises(InputError):
        BuildOptions(**options)


def test_two_blocks_without_common_subjects_are_built_with_a_warning_and_a_note():
    """Their correlations cannot be estimated, so the number of abilities cannot be checked: not a crash."""
    frame = good(12, 600)
    frame.iloc[:300, 6:] = np.nan
    frame.iloc[300:, :6] = np.nan
    notes = build_scale(Responses.from_frame(frame), options=QUICK).groups["all"].notes
    assert any("number of abilities was not checked" in note for note in notes)
    assert any("2 blocks that share nothing" in note for note in notes)


@pytest.mark.parametrize("subjects", [2, 3, 5, 10])
def test_a_tiny_crowd_ends_in_words_and_not_in_a_traceback(subjects):
    codes = np.random.default_rng(subjects).integers(0, 2, (subjects, 6))
    build = build_scale(Responses.from_array(codes), options=BuildOptions(min_answers=0))
    assert build.scales or build.groups["all"].reasons


def test_copies_of_an_item_leave_until_one_is_left():
    """Two copies have no finite slope; which of them goes does not matter, that one stays does."""
    frame = good(8)
    frame["copy"] = frame["i4"]
    build = build_scale(Responses.from_frame(frame), options=QUICK)
    assert build.history["rule"].tolist() == ["runaway slope"]
    assert len({"i4", "copy"} & set(build.scales["all"].item_names)) == 1
    # no line of code warned, and the fit of round 1 is not hushed up
    assert any(note.startswith("the fit of round 1 said: fit_mml: the slope") for note in build.groups["all"].notes)


def test_constant_items_do_not_count_as_removed():
    """Six items that everybody gets right say nothing of whether the other five measure one thing."""
    frame = good(5).assign(**{f"easy{k}": 1 for k in range(6)})
    build = build_scale(Responses.from_frame(frame), rules=(), options=QUICK)
    assert list(build.scales) == ["all"]
    assert (build.history["rule"] == "constant item").sum() == 6


def test_a_group_that_lost_more_than_its_share_is_no_scale():
    """Half the items gone is the default; the option must move the bound, and the reason must count."""
    frame = good(10)
    frame[["i1", "i2", "i3"]] = 1 - frame[["i1", "i2", "i3"]]
    strict = BuildOptions(test_guessing=False, max_removed_share=0.29)
    group = build_scale(Responses.from_frame(frame), rules=(NegativeDiscrimination(),), options=strict).groups["all"]
    assert group.reasons == ("3 of 10 items had to leave: one ability does not fit the group (pruning stopped there)",)
    exact = BuildOptions(test_guessing=False, max_removed_share=0.3)
    assert build_scale(Responses.from_frame(frame), rules=(NegativeDiscrimination(),), options=exact).scales


def test_items_with_few_answers_leave_before_any_fit():
    """Ten labels an item, 722 items: nearly every slope ran away, and one left per round for a quarter of an hour."""
    frame = good(8, 400).astype(float)
    frame.loc[frame.index[29:], ["i7", "i8"]] = np.nan
    build = build_scale(Responses.from_frame(frame), rules=(), options=QUICK)
    rows = build.history.set_index("item")
    assert rows["rule"].to_dict() == {"i7": "too few answers", "i8": "too few answers"}
    assert rows.loc["i7", ["iteration", "value", "threshold"]].tolist() == [0, 29.0, 30.0]
    assert list(build.scales["all"].item_names) == [f"i{k}" for k in range(1, 7)]
    few = build_scale(Responses.from_frame(frame.iloc[:20]), rules=(), options=QUICK)
    assert few.groups["all"].reasons == ("8 of 8 items have fewer than 30 answers",)
    lax = BuildOptions(test_guessing=False, min_answers=0)
    assert build_scale(Responses.from_frame(frame), rules=(), options=lax).history.empty


def test_many_runaway_slopes_leave_by_halves():
    """One a round would take as many refits as items."""
    table = pd.DataFrame({"a": [50.0, -40.0, 30.0, 25.0, 21.0, 1.0]}, index=[f"i{k}" for k in range(6)])
    stub = SimpleNamespace(slopes=table["a"].to_dict())
    assert [flag.item for flag in RunawaySlope()(stub)] == ["i0", "i1", "i2"]
    assert [flag.item for flag in RunawaySlope()(SimpleNamespace(slopes={"i0": 50.0, "i1": 49.0}))] == ["i0"]


def test_a_last_fit_that_did_not_converge_is_no_scale():
    """Estimates on the way to somewhere else must not be sold as a scale."""
    early = BuildOptions(test_guessing=False, mml=MMLOptions(max_iterations=1))
    group = build_scale(Responses.from_frame(good()), rules=(), options=early).groups["all"]
    assert group.scale is None
    assert group.reasons == ("the last fit did not converge: stopped at the limit",)
    assert any("1 iteration" in note for note in group.notes)


def test_held_out_subjects_with_gaps_are_tested_on_complete_rows_and_the_line_says_so():
    """One missing response made every item untestable, and '0 of 10 misfit' looked like a clean bill."""
    frame = good(10, 900).astype(float)
    frame.iloc[::60, 2] = np.nan
    group = build_scale(Responses.from_frame(frame), rules=(), options=QUICK, holdout=0.4).groups["all"]
    assert group.holdout is not None
    assert group.holdout["p"].notna().all()
    assert any(note.startswith("held-out subjects: S-X2 uses the 9") for note in group.notes)
    gappy = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.2)
    by_ability = build_scale(Responses.from_frame(gappy), rules=(), options=QUICK, holdout=0.4).groups["all"]
    assert by_ability.holdout is not None
    assert "of 10 testable items misfit (S-X2)" in holdout_line(by_ability.holdout)
    assert any(note.startswith("held-out subjects: S-X2 groups subjects by ability") for note in by_ability.notes)


def test_the_holdout_is_fitted_by_the_builds_own_estimator():
    """A build with a custom estimator must not be checked by another."""
    sizes = []

    def counting(responses, model, **options):
        sizes.append(responses.shape[0])
        return fit_mml(responses, model, **options)

    build_scale(Responses.from_frame(good(6, 500)), rules=(), options=QUICK, holdout=0.2, fit=counting)
    assert sizes == [400, 100]


def test_the_holdout_is_fitted_with_the_retained_items_own_models():
    """A 3PL item checked as a 2PL misfits for a reason that is not the scale's."""
    asked = []

    def noting(responses, model, **options):
        asked.append((responses.shape[0], dict(model) if isinstance(model, dict) else model))
        return fit_mml(responses, model, **options)

    bank = pd.DataFrame(
        {"a": 2.0, "b": np.linspace(-2.0, 1.0, 10), "c": [0.0] * 9 + [0.35]}, index=[f"i{k}" for k in range(10)]
    )
    responses = simulate_responses(3000, bank, seed=1).responses
    build = build_scale(responses, rules=(), holdout=0.2, fit=noting)
    models = build.scales["all"].items["model"].to_dict()
    assert "3PL" in models.values()
    subjects, kinds = asked[-1]
    assert subjects == 600
    assert {item: kind.name for item, kind in kinds.items()} == models


def test_what_the_last_fit_still_says_is_not_blamed_on_an_early_round():
    """Two blocks without common subjects are a doubt of every round, and of the scale."""
    frame = good(13, 600)
    frame["i13"] = 1 - frame["i13"]
    frame.iloc[:300, 6:12] = np.nan
    frame.iloc[300:, :6] = np.nan
    frame.loc[:, "i13"] = frame["i13"].where(np.arange(600) < 300)
    notes = (
        build_scale(Responses.from_frame(frame), rules=(NegativeDiscrimination(),), options=QUICK).groups["all"].notes
    )
    assert sum("2 blocks that share nothing" in note for note in notes) == 1
    assert not any(note.startswith("the fit of round") for note in notes)


def test_a_holdout_too_small_to_fit_is_a_note_and_not_the_end_of_the_build():
    """Two held-out subjects leave every item constant or nearly so."""
    group = build_scale(Responses.from_frame(good(8, 200)), rules=(), options=QUICK, holdout=0.005).groups["all"]
    assert group.scale is not None
    assert group.holdout is None
    assert any(note.startswith("no check on held-out subjects:") for note in group.notes)


def test_people_who_saw_none_of_a_groups_items_are_no_part_of_its_crowd():
    """Two halves of a study, each its own people: the other half's stood at theta 0 and shifted every percentile."""
    apart = pd.concat([good(8, 300, 1, "e"), good(8, 300, 2, "n").set_axis([f"t{k}" for k in range(300)])], axis=1)
    groups = {item: item[0] for item in apart.columns}
    scale = build_scale(Responses.from_frame(apart), groups, options=QUICK).scales["e"]
    alone = build_scale(Responses.from_frame(good(8, 300, 1, "e")), options=QUICK).scales["all"]
    assert scale.crowd is not None
    assert scale.crowd.n == 300
    np.testing.assert_array_equal(scale.crowd.members(), alone.crowd.members())
    assert scale.quality.empirical_reliability == alone.quality.empirical_reliability
    assert scale.quality.median_se == alone.quality.median_se


def test_gold_of_some_items_only_is_a_key_of_those():
    """Graded responses may come with a gold table that lacks rows; the build raised KeyError."""
    frame = good(6)
    info = pd.DataFrame({"gold": ["a", "b", "a", None, "b", "a"]}, index=frame.columns)
    scale = build_scale(Responses.from_frame(frame, item_info=info), rules=(), options=QUICK).scales["all"]
    assert scale.key == {"i1": "a", "i2": "b", "i3": "a", "i5": "b", "i6": "a"}


def test_the_labels_of_the_grading_are_the_scales_labels():
    """A group of one gold class knows only that label; what can be answered is more."""
    rng = np.random.default_rng(0)
    codes = good(6, 300).to_numpy()
    rows = [
        (f"w{n}", f"q{j}", "yes" if codes[n, j] else rng.choice(["no", "unsure"])) for n in range(300) for j in range(6)
    ]
    labels = CrowdLabels.from_frame(pd.DataFrame(rows, columns=["worker", "item", "label"]))
    graded = labels.with_gold({f"q{j}": "yes" for j in range(6)}).grade(options=["yes", "no", "unsure"])
    assert build_scale(graded, rules=(), options=QUICK).scales["all"].label_set == ("no", "unsure", "yes")
