"""The figures of files that Stageboard wrote: what a later version must find in them, too.

`tests/data/written/VERSION` holds files as that version wrote them and `figures.json`, what it read back from them then.
`tools/make_written_files.py` makes such a folder.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

HOME = "@HOME@"
"""Stands for the folder itself in files that name others by their whole path."""
FIGURES = "figures.json"
MODELS = "models.json"
"""Which models each plan is of, by name of its file."""


def laid_out(folder: Path, where: Path) -> Path:
    """A copy of a folder of written files in which paths lead to that copy."""
    copy = Path(shutil.copytree(folder, where))
    for path in [*(copy / "state").iterdir(), *(copy / "config").iterdir()]:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(HOME, str(copy)), encoding="utf-8")
    return copy


def figures_of(folder: Path, kinds: Sequence[str] = ()) -> dict[str, Any]:
    """What every file below a folder that :func:`laid_out` made says now, ready for JSON; of some kinds only, where they are named."""
    found: dict[str, Callable[[], Any]] = {
        "plans": lambda: {path.name: plan_figures(path, folder) for path in _files(folder, "plans/*")},
        "stories": lambda: {path.name: story_figures(path) for path in _files(folder, "stories/*.story.json")},
        "journals": lambda: {path.name: journal_figures(path) for path in _files(folder, "state/journal-*")},
        "orders": lambda: {path.name: kept_order_figures(path) for path in _files(folder, "state/orders-*.jsonl")},
        "session": lambda: session_figures(folder / "config" / "session.ini", folder),
    }  # fmt: skip
    return {kind: make() for kind, make in found.items() if not kinds or kind in kinds}


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))


def plan_figures(path: Path, folder: Path) -> dict[str, Any]:
    """What a plan file says, evaluated anew."""
    from planner.formats import read_models
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import open_network_plan
    from planner.plan_files.plan_json import open_plan, plan_model_options

    models = [folder / "models" / name for name in json.loads((folder / MODELS).read_text())[path.name]]
    if models[0].suffix == ".npz":
        opened: Any = open_network_plan(path, read_network(models))
    else:
        opened = open_plan(path, read_models(models, batch=plan_model_options(path)["batch"]))
    search = opened.plan.provenance
    return {
        **_figures(opened.plan),
        "bounds": _bounds(opened.bounds),
        "notes": list(opened.notes),
        "planner": search.planner,
        "options": dict(search.options),
        "seed": search.seed,
        "iteration": search.iteration,
        "starts": [start.tolist() for start in search.starts],
        "adopted": [(a.look, a.iteration, a.by, a.decision.tolist()) for a in search.adopted],
        "search bounds": _bounds(search.bounds),
        "race": None if search.race is None else [entrant.method for entrant in search.race.entrants],
    }


def _figures(plan: Any) -> dict[str, Any]:
    evaluation = plan.evaluation
    figures: dict[str, Any] = {
        "name": plan.name,
        "target": plan.problem.target.to_dict(),
        "objective": plan.problem.objective,
        "components": dict(evaluation.components),
        "valid": evaluation.valid,
        "violations": [[v.kind, list(v.ops), list(v.devices)] for v in evaluation.violations],
    }
    if hasattr(plan.decision, "order"):
        return {**figures, "order": plan.decision.order.tolist()}
    parts = ("ops", "receive", "work", "streaming", "send", "cost", "memory")
    return {
        **figures,
        "devices": [device.name for device in plan.problem.devices],
        "device of": plan.decision.device_of.tolist(),
        "constraints": len(plan.problem.constraints),
        **{part: getattr(evaluation, part).tolist() for part in parts},
    }


def _bounds(bounds: Any) -> list[list[Any]]:
    return [
        [b.component, b.value, b.method, sorted(b.assumes), [list(pair) for pair in b.given]] for b in bounds
    ]


def story_figures(path: Path) -> dict[str, Any]:
    """What a story says, its plans evaluated anew."""
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    story = read_story(path)
    resolved = resolve(story, path.parent)
    return {
        "title": story.title,
        "keyframes": [[k.title, k.caption, k.plan, k.view, k.panel, k.hold] for k in story.keyframes],
        "plans": [_figures(plan) for plan in resolved.plans],
        "bounds": [_bounds(bounds) for bounds in resolved.bounds],
        "notes": list(resolved.notes),
    }


def journal_figures(path: Path) -> dict[str, Any]:
    """What is recovered from a journal; the file stays."""
    from gui.document.plan.document import Document
    from gui.document.plan.recovery import read, recover

    copy = path.with_name("copy.jsonl")
    shutil.copy(path, copy)
    leftover = read(copy)
    assert leftover is not None
    document = Document()
    said: list[str] = []
    document.message.connect(lambda message: said.append(message.text))
    recover(document, leftover)
    steps = [_document_figures(document)]
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
        steps.append(_document_figures(document))
    return {
        "name": leftover.name,
        "steps not saved": leftover.steps,
        "damaged": any("damaged" in text for text in said),
        "plans": [[entry.name, entry.origin, entry.planner, entry.seed] for entry in document.plans],
        "undone step by step": steps,
    }


def _document_figures(document: Any) -> dict[str, Any]:
    plan = _figures(document.current_plan())
    return {key: plan[key] for key in ("target", "components", "valid", "device of", "constraints")}


def kept_order_figures(path: Path) -> dict[str, Any]:
    """What is recovered of an order that was not saved."""
    from gui.document.network.autosave import lost_orders
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import open_network_plan

    (lost,) = [lost for lost in lost_orders(path.parent) if lost.path == path]
    opened = open_network_plan(lost.plan, read_network(lost.files), own_record=True)
    return {"name": lost.name, **_figures(opened.plan), "bounds": _bounds(opened.bounds)}


def session_figures(path: Path, folder: Path) -> dict[str, Any]:
    """What a session remembers."""
    from gui.shell.session import Session
    from planner.formats import read_models

    session = Session(path)
    kept = session.target_for(read_models([folder / "models" / "chain.json"]))
    return {
        "recent": [[str(p.relative_to(folder)) for p in paths] for paths in session.recent],
        "theme": session.theme,
        "view": session.value("view"),
        "target": None if kept is None else [kept[0].to_dict(), kept[1]],
    }
