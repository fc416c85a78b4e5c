"""Ungraded answers of a crowd: reading, grading, screening them, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from psyirt.data.agreement import agreement_of
from psyirt.data.attention import AttentionRule, ScreeningResult, screen_workers
from psyirt.data.columns import listed
from psyirt.data.grading import Unanswered, grade_labels
from psyirt.data.key_check import gold_slip
from psyirt.data.label_map import NA_LABELS, LabelMap, explain_labels
from psyirt.data.label_table import LabelTable
from psyirt.data.responses import Responses
from psyirt.data.text import plain
from psyirt.errors import InputError


class CrowdLabels(LabelTable):
    """Workers' raw labels of items, with the gold and whatever else is known of the items; frozen.

    Made by :meth:`from_frame` or ``psyirt.read_labels``; its data are described at
    :class:`psyirt.data.label_table.LabelTable`.

    Examples
    --------
    >>> answers = pd.DataFrame({"q1": ["e", "n"], "q2": ["c", "c"], "q3": ["e", "n"]}, index=["ann", "bob"])
    >>> gold = {"q1": "entailment", "q2": "contradiction", "q3": "neutral"}
    >>> responses = CrowdLabels.from_frame(answers, gold=gold).grade()
    >>> responses.to_frame().loc["bob"].tolist()
    [0.0, 1.0, 1.0]
    >>> responses.notes[0]
    'label map (each label begins exactly one option): c -> contradiction, e -> entailment, n -> neutral'
    """

    def explain(
        self,
        label_map: Mapping[str, str] | None = None,
        *,
        options: Sequence[str] | None = None,
        na_labels: Sequence[str] = NA_LABELS,
    ) -> LabelMap:
        """What each label means; every label is explained, or an error says which is not.

        Parameters
        ----------
        label_map : mapping of str to str, optional
            Label -> option of the answer key. Without it a label must be an option or begin exactly one.
        options : sequence of str, optional
            What can be answered; default: the gold labels and what the map leads to.
        na_labels : sequence of str
            Labels that mean "did not answer", unless the key or the map knows them.

        Returns
        -------
        LabelMap

        Raises
        ------
        InputError
            If there is no gold, the map leads to no option, or a label stays unexplained.
        """
        present = self.present_labels()
        meanings = explain_labels(present, self.gold_set, label_map, options, na_labels)
        if meanings.unexplained:
            self._refuse_gold_slip(meanings)
            first = meanings.unexplained[0]
            entries = np.flatnonzero(self.label_index == self.label_set.index(first))
            who, what = self.worker_names[self.worker_index[entries[0]]], self.item_names[self.item_index[entries[0]]]
            others = meanings.unexplained[1:]
            also = f" (so do {listed([repr(label) for label in others])})" if others else ""
            raise InputError(
                f"label {first!r} stands for no option{also}",
                f"worker {who!r}, item {what!r}" + (f", the first of {len(entries)}" if len(entries) > 1 else ""),
                meanings.remedy,
            )
        return meanings

    def grade(
        self,
        label_map: Mapping[str, str] | None = None,
        *,
        unanswered: Unanswered = "missing",
        options: Sequence[str] | None = None,
        na_labels: Sequence[str] = NA_LABELS,
        only_gold: bool = False,
    ) -> Responses:
        """Compare the labels with the gold.

        Parameters
        ----------
        label_map, options, na_labels
            See :meth:`explain`.
        unanswered : {"missing", "wrong"}
            What an entry without an answer counts as. Pairs without an entry were never presented and are missing
            either way.
        only_gold : bool
            Whether items without gold are left out; otherwise they are an error.

        Returns
        -------
        Responses
            Its `item_info` has `items`' columns and ``n_options``, its `label_set` is all that could be answered, its
            `notes` say how the labels were read.

        Raises
        ------
        InputError
            As :meth:`explain`, or if items have no gold.

        Warns
        -----
        DataWarning
            If a gold class is answered correctly less often than by chance, or a gold label that nobody answered
            resembles one that is answered: the label map or the key may be wrong.
        """
        meanings = self.explain(label_map, options=options, na_labels=na_labels)
        return grade_labels(self, meanings, unanswered=unanswered, only_gold=only_gold)

    def screen(
        self,
        rule: AttentionRule,
        label_map: Mapping[str, str] | None = None,
        *,
        options: Sequence[str] | None = None,
        na_labels: Sequence[str] = NA_LABELS,
    ) -> ScreeningResult[CrowdLabels]:
        """Remove the workers who fail an attention rule, and the attention items.

        Parameters
        ----------
        rule : AttentionRule
            Which items, and how many must be right.
        label_map, options, na_labels
            See :meth:`explain`.

        Returns
        -------
        ScreeningResult
            ``kept`` (CrowdLabels) and ``removed`` (DataFrame: who, why, value, threshold).

        Raises
        ------
        InputError
            If an attention item is unknown or has no gold, or nobody passes.
        """
        return screen_workers(self, self.explain(label_map, options=options, na_labels=na_labels), rule)

    def agreement(
        self,
        label_map: Mapping[str, str] | None = None,
        *,
        options: Sequence[str] | None = None,
        na_labels: Sequence[str] = NA_LABELS,
    ) -> pd.DataFrame:
        """How far the workers agree, with one another and with the gold.

        Parameters
        ----------
        label_map, options, na_labels
            See :meth:`explain`; without gold the raw labels are the categories and none of them is needed.

        Returns
        -------
        DataFrame, index (measure, scope)
            See :func:`psyirt.data.agreement.agreement_of`.
        """
        if options is None and not self.gold_set:
            options = self._raw_options(label_map or {}, na_labels)
        meanings = self.explain(label_map, options=options, na_labels=na_labels)
        return agreement_of(self, meanings)

    def _refuse_gold_slip(self, meanings: LabelMap) -> None:
        """Where a label is unexplained because a gold label is misspelt, the error is the key's and not a worker's."""
        if "gold" not in self.items.columns:
            return
        items_of = self.items["gold"].value_counts()
        slip = gold_slip(meanings, {str(label): int(n) for label, n in items_of.items()})
        if slip is None:
            return
        wrong, right = slip
        items = self.items.index[self.items["gold"] == wrong]
        raise InputError(
            f"gold label {wrong!r} looks like a misspelling of {right!r}",
            f"item {items[0]!r}" + (f", the first of {len(items)}" if len(items) > 1 else ""),
            "Correct the gold table, or if they are two labels say with label_map= which label stands for which",
        )

    def _raw_options(self, label_map: Mapping[str, str], na_labels: Sequence[str]) -> tuple[str, ...]:
        """What the workers answered with: the categories where no gold says what can be answered."""
        not_answers = {plain(label).casefold() for label in na_labels}
        answers = [
            label for label in self.present_labels() if label in label_map or label.casefold() not in not_answers
        ]
        return tuple(sorted({plain(label_map.get(label, label)) for label in answers}))
