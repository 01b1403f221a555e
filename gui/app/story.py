"""``stageboard story``: a story made of plans, or of the course of a search that is run again."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli import inputs
from planner.cli.command import DONE, Console, UsageError
from planner.cli.proving import configure_claimed, proven_of
from planner.errors import PlanError, StageboardError
from planner.model.precision import FILE
from planner.story.keyframe import COMPARISONS, LONGEST_TITLE

if TYPE_CHECKING:
    from planner.machines.two_level_memory.problem import OrderPlan
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.model.precision import ReadOptions
    from planner.plan_files.order_json import OpenedOrder
    from planner.plan_files.plan_json import OpenedPlan
    from planner.problem.bound import Bound
    from planner.problem.problem import Plan
    from planner.runs.replay import Replayed
    from planner.story.making import Told

    Opened = OpenedPlan | OpenedOrder


SEVERAL = "for a talk on several networks capture keyframes of each in the window, where a story stays while another model is opened (Ctrl+O)"
"""What to do where each of several models has plans of its own."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``story``."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="MODEL... PLAN [PLAN...]",
        help=f"model files (several are planned together), then plans of them in the order of the talk; {SEVERAL}",
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="STORY", help="the story to write: talk.story.json"
    )
    parser.add_argument("--title", type=heading, help="what the story is called (default: model and target)")
    parser.add_argument(
        "--replay", action="store_true",
        help="of one plan: run its search again from its provenance and tell the plans on the way, at most twelve",
    )  # fmt: skip
    parser.add_argument(
        "--compare", action="append", default=[], choices=COMPARISONS,
        help="in the end compare the plans in this way: a canvas each, two on one canvas with a slider, what goes from device to"
        " device, or schedules on one time axis; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="its colours (default light)"
    )
    inputs.add_batch_of_plan(parser, "the first plan's model was read")
    inputs.add_density(parser)
    configure_claimed(parser)
    parser.epilog = (
        "example: stageboard story sample_models/resnet50.json a.plan.json b.plan.json -o talk.story.json\n"
        "         stageboard story sample_models/resnet50.json a.plan.json b.plan.json --compare overlay -o talk.story.json\n"
        "         stageboard story sample_models/resnet50.json best.plan.json --replay -o search.story.json\n\n"
        "Model files from elsewhere are copied beside the story, so that it opens anywhere. 'stageboard present STORY' shows it."
    )


def heading(text: str) -> str:
    """An argument that is a title."""
    if len(text.strip()) > LONGEST_TITLE or not text.strip():
        raise argparse.ArgumentTypeError(f"a title has from 1 to {LONGEST_TITLE} characters")
    return text.strip()


def run(args: argparse.Namespace, console: Console) -> int:
    """Read, replay where that is asked for, tell, write."""
    from gui.look.display import application, check_qt, offscreen
    from gui.tools.story.cameras import camera_on
    from planner.story.files.json import write_story
    from planner.story.files.models import portable_paths, withdrawing
    from planner.story.making import Told, story_of_plans
    from planner.story.subject import StoryModel

    models, plans = files_of(args.files)
    if args.replay and len(plans) != 1:
        raise UsageError(
            f"story: --replay tells the search of one plan, and {len(plans)} were given; name one"
        )
    if args.compare and (args.replay or len(plans) < 2):
        raise UsageError("story: --compare needs two plans; name another one after the first")
    inputs.check_output(args.output, args.files)
    model, opened, options = read(models, plans, args.batch, args.density, args.precision)
    for file, one in zip(plans, opened, strict=True):
        for note in one.notes:
            console.note(note if file.name in note else f"{file.name}: {note}")
    replayed = None
    if args.replay:
        replayed = _replay(opened[0].plan, console)
        told = told_of(replayed, opened[0], proven_now(opened, args.prove, console)[0])
        console.note(replayed.sentence)
    else:
        told = [
            Told(
                one.plan if one.plan.name else replace(one.plan, name=file.name.split(".")[0]),
                bounds,
            )
            for file, one, bounds in zip(plans, opened, proven_now(opened, args.prove, console), strict=True)
        ]
    check_qt()
    offscreen()  # what the cameras see depends on the layout, and that on fonts
    app = application()
    output = Path(args.output)
    named = portable_paths(models, output.parent)
    with withdrawing(named.copied):
        about = StoryModel(
            named.names, model.fingerprint, options["batch"], args.density, precision=options["precision"]
        )
        story = story_of_plans(about, told, args.title or "", camera_on, args.theme, args.compare)
        write_story(output, story)
    for copy in named.copied:
        console.note(f"{copy.name} was copied beside the story, so that it opens anywhere")
    app.processEvents()
    data: dict[str, Any] = {
        "story_file": args.output,
        "title": story.title,
        "keyframes": len(story.keyframes),
        "plans": len(story.plans),
        "duration": round(story.duration, 3),
        "models": list(named.names),
        "copied": [str(copy) for copy in named.copied],
        "replay": None
        if replayed is None
        else {
            "outcome": replayed.outcome,
            "sentence": replayed.sentence,
            "found": len(replayed.found),
            "iterations": [step.iteration for step in replayed.found],
        },
    }
    console.result(
        data,
        lambda: (
            f"wrote {args.output} (“{story.title}”: {len(story.keyframes)} keyframes, {story.duration:.0f} s)"
        ),
    )
    return DONE


def files_of(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """(model files, plan files), told apart by content. Raises :class:`StageboardError`."""
    from planner.plan_files.plan_parts import is_plan

    files = [Path(name) for name in names]
    for file in files:
        if not file.exists():
            raise StageboardError(f"{file} does not exist; check the path")
    plans = [file for file in files if is_plan(file)]
    models = [file for file in files if file not in plans]
    if not models:
        raise UsageError(f"story: {plans[0]} is a plan; name its model before it")
    kinds = [kind for kind, _ in groupby(file in models for file in files)]
    if kinds[:3] == [True, False, True]:
        late = next(file for file in files[files.index(plans[0]) :] if file in models)
        raise UsageError(
            f"story: the model {late} comes after a plan; name all models that share the machine first;"
            f" {SEVERAL}"
        )
    if not plans:
        raise UsageError(f"story: no plan was named after {models[-1]}; make one with 'stageboard plan -o'")
    return models, plans


def read(
    models: Sequence[Path], plans: Sequence[Path], batch: int | None, density: float | None, precision: str | None = None
) -> tuple[Graph | Network, list[Opened], ReadOptions]:  # fmt: skip
    """(the model, its plans evaluated anew, how the model was read). Raises :class:`StageboardError`."""
    from planner.formats import read_models
    from planner.plan_files.order_json import is_order_plan, open_network_plan
    from planner.plan_files.plan_json import open_plan

    if is_order_plan(plans[0]):
        for given, option in ((batch is not None, "--batch"), (precision, "--precision")):
            if given:
                raise UsageError(
                    f"story: {option} is about graphs of operators; leave it out for a sparse network"
                )
        network = inputs.load_network([str(model) for model in models], density)
        return network, [open_network_plan(plan, network) for plan in plans], {"batch": 1, "precision": FILE}
    if density is not None:
        raise UsageError(f"story: --density prunes sparse networks, and {plans[0]} is not a plan of one")
    options = inputs.options_of(batch, precision, plans[0])
    graph = read_models(models, **options)
    try:
        return graph, [open_plan(plan, graph) for plan in plans], options
    except PlanError as error:
        if len(models) == 1:
            raise
        raise PlanError(f"{error}. {len(models)} models are planned together here; {SEVERAL}") from error


def proven_now(opened: Sequence[Opened], asked: float | None, console: Console) -> list[tuple[Bound, ...]]:
    """What a story tells of each plan's bounds: those of its file, and what is proven beside it now.

    Without the time that a proof took, which would be another one whenever the story is made.
    """
    from planner.problem.base import says_more
    from planner.problem.bound import proven
    from planner.runs.proving import told_bounds

    found: list[tuple[Bound, ...]] = []
    before: list[Bound] = []
    for one in opened:
        known = told_bounds(one.plan.problem, one.bounds)
        # What was proven beside the plan before counts for this one, too, where it says anything of its problem.
        given = (*known, *(bound for bound in before if says_more(bound, one.plan.problem, known)))
        new = [
            bound if bound in known else replace(bound, seconds=0.0)
            for bound in proven_of(one.plan, given, asked, console)
        ]
        before = list(proven(new))
        found.append(tuple(new))
    return found


# ---------------------------------------------------------------------- the course of a search
def _replay(plan: Plan | OrderPlan, console: Console) -> Replayed:
    """Run a plan's search again; Ctrl-C ends it with what there is."""
    from planner.cli.searching import Watch, soft_interrupt
    from planner.runs.replay import replay
    from planner.search.stop import Cancel

    with soft_interrupt(console) as cancelled:
        return replay(plan, Watch(console, plan.problem, plan.provenance.planner), Cancel(cancelled))


def told_of(replayed: Replayed, opened: Opened, known: tuple[Bound, ...]) -> list[Told]:
    """The plans on the way of a search that differ visibly, and the plan itself at the end.

    Of the ``known`` bounds, what its file claims is said of that one alone.
    """
    from planner.problem.base import decision_of
    from planner.problem.bound import proven
    from planner.runs.replay import incumbents_of
    from planner.story.making import Told, thinned

    last = opened.plan
    found = list(incumbents_of(replayed))
    plans: list[Any] = []
    for step in found:
        note = replace(last.provenance, iteration=step.iteration)
        plans.append(last.problem.plan(step.decision, note, last.provenance.planner))
    if plans and (decision_of(plans[-1]) == decision_of(last)).all():
        plans[-1] = last
    else:
        plans.append(last)
    heads = [head(step.iteration, step.by, i > 0) for i, step in enumerate(found)]
    heads += ["The plan"] * (len(plans) - len(heads))
    shown = thinned(plans)
    return [
        Told(plans[i], known if plans[i] is last else proven(known), heads[i], brief=i != shown[-1])
        for i in shown
    ]


def head(iteration: int, by: str, later: bool = False) -> str:
    """The title of a plan on the way; ``later``: it is not the first."""
    if by == "start":
        return "What the search began with"
    if iteration:
        where = f"After {iteration:,} iteration{'s' if iteration > 1 else ''}"
    else:
        where = "A moment later" if later else "At once"
    return f"{where}, taken over from {by}" if by else where
