"""What a plan's models are outside of it: their files, one per model and unchanged since, and their ops' own names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from planner.errors import ModelError, StageboardError
from planner.formats.merge import merge
from planner.model.graph import Graph
from planner.problem.problem import Plan

BEGINNING = 4096
"""Bytes of a file that say what it is."""


def batch_of(plan: Plan) -> int:
    """The batch that the plan's models were read with."""
    return int(dict(plan.problem.graph.read_options).get("batch", 1))


def check_count(plan: Plan, sources: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """One path per model. Raises :class:`StageboardError`."""
    names = plan.problem.graph.model_names
    if len(sources) != len(names):
        raise StageboardError(
            f"the plan is of {len(names)} models ({', '.join(names[:6])}) but {len(sources)} model files were given;"
            " name the file of each model, in the plan's order"
        )
    return [Path(source) for source in sources]


def spare(files: Sequence[Path], kept: Sequence[str | os.PathLike[str]]) -> None:
    """Raise :class:`StageboardError` where one of ``files``, about to be written, is one of ``kept``: a model or its plan."""
    for file in files:
        for other in map(Path, kept):
            if file.exists() and other.exists() and file.samefile(other):
                raise StageboardError(
                    f"{file} is the model or the plan that is exported and would be lost; choose another name"
                )


def spare_strangers(asked: str | os.PathLike[str], files: Sequence[Path], marks: Sequence[bytes]) -> None:
    """Raise :class:`StageboardError` where one of ``files`` would be written beside the one that was ``asked`` for and is there already as
    something else: not one of the ``marks`` is in its beginning. Nobody was asked about it."""
    for file in files:
        if file == Path(asked) or not file.exists():
            continue
        try:
            with file.open("rb") as opened:
                beginning = opened.read(BEGINNING)
        except OSError:
            beginning = b""
        if not any(mark in beginning for mark in marks):
            raise StageboardError(
                f"{file} is there already, is something else and would be lost: it is written together with {Path(asked).name};"
                " choose another name"
            )


def check_suffix(sources: Sequence[Path], word: str, suffix: str) -> None:
    """Raise :class:`StageboardError` for a file of another kind; ``word`` is what a sentence calls the kind wanted."""
    other = [path for path in sources if path.suffix.lower() != suffix]
    if other and len(other) < len(sources):
        raise StageboardError(
            f"{other[0].name} is no {word} file, and stages of models in several formats are not written together; plan and"
            " export each model by itself"
        )
    if other:
        known = {".onnx": "ONNX", ".tflite": "TFLite"}.get(other[0].suffix.lower())
        way = f"choose {known} stages" if known else f"plan the model's {suffix} file"
        raise StageboardError(f"{other[0].name} is no {word} file, which {word} stages are cut from; {way}")


def rule_notes(plan: Plan) -> tuple[str, ...]:
    """A note on where the plan breaks rules or demands; none where it is valid."""
    broken = plan.evaluation.violations
    if not broken:
        return ()
    if len(broken) == 1:
        return (f"the plan breaks a rule: {broken[0].sentence}",)
    return (f"the plan breaks rules in {len(broken)} places, the first: {broken[0].sentence}",)


def check_samples(samples: int) -> None:
    """Raise :class:`StageboardError` for a number of random inputs that would check nothing."""
    if samples < 1:
        raise StageboardError(f"the stages are to be checked on {samples} inputs; check at least 1")


def check_unchanged(plan: Plan, graphs: Sequence[Graph]) -> None:
    """Raise :class:`ModelError` unless ``graphs``, read from the sources just now, are what the plan is of."""
    if merge(list(graphs)).structure != plan.problem.graph.structure:
        files = ", ".join(graph.name for graph in graphs)
        raise ModelError(
            f"{files}: the model changed since the plan was made (or several are in another order); open it again and"
            " plan it as it is now"
        )


def own_name(graph: Graph, op: int) -> str:
    """An op's name in its own model: merging several models may have put the model's name before it."""
    prefix = f"{graph.model_names[graph.model[op]]}/"
    merged = len(graph.model_names) > 1 and all(
        graph.op_ids[v].startswith(f"{graph.model_names[m]}/") for v, m in enumerate(graph.model.tolist())
    )
    return graph.file_names[op].removeprefix(prefix) if merged else graph.file_names[op]
