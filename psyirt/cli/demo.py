"""``psyirt demo``: the main job on a simulated crowd study, checked against its truth."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from psyirt.cli.arguments import ForceOption, JsonOption, refuse_idle
from psyirt.cli.outputs import DEMO_FILES, new_folder
from psyirt.cli.progress import shown_progress
from psyirt.cli.screen import Screen

if TYPE_CHECKING:
    from psyirt.cli.demo_run import Demonstration

EXAMPLE = "psyirt demo --out psyirt-demo"


def demo_command(
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Keep the study and its scales in this folder."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same study.")] = 2016,
    workers: Annotated[int, typer.Option("--workers", metavar="N", help="How many people answer.")] = 1000,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate a crowd study, build its scales and score three systems.

    The study is shaped like that of Lalor, Wu & Yu (2016): workers label 90 sentence pairs of three classes, some fail
    the attention checks, and in each class a dependent pair, a non-monotone item and a flat item are planted. The
    demo says how many of these faults were found and how many good items were lost.
    """
    if out is None:
        refuse_idle(force, "--force", "--out DIR")

    with contextlib.ExitStack() as stack:
        folder = None if out is None else stack.enter_context(new_folder(out, force, DEMO_FILES))

        from psyirt.cli.demo_report import demo_document, show_demo
        from psyirt.cli.demo_run import demonstrate, write_demonstration

        screen = Screen(as_json)
        progress = stack.enter_context(shown_progress())
        result = demonstrate(workers, seed, progress)
        document = demo_document(result)
        if folder is not None:
            write_demonstration(folder, result, document)
    show_demo(screen, result)
    _show_next(screen, result, out)
    screen.document(document)


def _show_next(screen: Screen, result: Demonstration, out: Path | None) -> None:
    """The same steps as commands: on the demo's own files where they were kept, else on a reader's."""
    if out is None:
        screen.heading("Nothing was written (psyirt demo --out psyirt-demo keeps the files). On labels of your own:")
        screen.say(
            "  psyirt build labels.csv --gold gold.csv --group gold --out scales",
            "  psyirt score scales/scale.json predictions.csv",
        )
        return
    rule = result.study.attention_rule
    label_map = ",".join(f"{code}={option}" for code, option in result.study.label_map.items())
    screen.heading(f"Written to {out}. The same steps by hand:")
    screen.say(
        f"  psyirt build {out / 'labels.csv'} --gold {out / 'gold.csv'} --group group --label-map {label_map} "
        f"--attention {','.join(rule.items)} --attention-correct {rule.min_correct} --out my-scales",
        f"  psyirt score my-scales/scale.json {out / 'predictions.csv'}",
    )
