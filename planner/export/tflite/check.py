"""Whether exported TFLite stages, run one after the other, give what the whole model gives: a check in a process of its own.

Whole model and stages run on the same random inputs with the same kernels (:mod:`planner.export.tflite.runtime`). Every tensor
that leaves a stage is compared with the same tensor inside the whole model, so that a difference is found where it
arises and cannot hide behind a later rounding. A state is set back before every second run: the run between goes on from it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from planner.errors import StageboardError
from planner.export.stages.difference import difference, identical
from planner.export.stages.folder import ModelEntry, read_manifest
from planner.export.stages.runner import Arrays, StageRunner
from planner.export.stages.stages import TOLERANCE, Checked, NotComparable, VerificationFailed, together
from planner.export.tflite.made_up import INTEGERS_BELOW, random_input
from planner.export.tflite.runtime import TfliteModel

_NOT_COMPARED = "the stages cannot be compared with it, so export without the check"


@dataclass(frozen=True)
class CheckOrder:
    """What to check: the folder of the stages, the source file of each model, how many inputs, and where to say what runs."""

    folder: str
    sources: tuple[str, ...]
    samples: int
    seed: int
    diary: str
    """A file that always names what is running, for the case that it ends the process."""


def check_stages(order: CheckOrder) -> Checked:
    """Compare all models. Raises :class:`VerificationFailed` where a stage differs, and :class:`NotComparable` where a whole
    model cannot be run, so that there is nothing to compare with."""
    diary = Path(order.diary)
    models = zip(read_manifest(order.folder).models, order.sources, strict=True)
    return together([_check_model(entry, order, source, diary.write_text) for entry, source in models])


def _check_model(entry: ModelEntry, order: CheckOrder, source: str, note: Callable[[str], object]) -> Checked:
    data = Path(source).read_bytes()
    if hashlib.sha256(data).hexdigest() != entry.sha256:
        raise StageboardError(f"{entry.source} changed while it was exported; export again")
    whole_title = f"the whole model {entry.source}"
    note(whole_title)
    feeds, first = _feeds(source, whole_title, entry, order.samples, np.random.default_rng(order.seed))
    whole = TfliteModel(source, whole_title, inner=True)
    note(f"a stage of {entry.name}")
    try:
        runner = StageRunner(order.folder, entry.name)
    except StageboardError as error:
        raise VerificationFailed(f"{error}; nothing was written") from error
    largest, exact = 0.0, True
    seen: list[Arrays] = []
    for i, feed in enumerate(feeds):
        note(whole_title)
        if i % 2 == 0:
            whole.reset()
            runner.reset()
        outputs = whole.run(feed)
        wanted = dict(zip(entry.outputs, outputs, strict=True))
        seen.append(wanted)
        if i == 0 and not all(identical(a, b) for a, b in zip(first, outputs, strict=True)):
            raise NotComparable(
                f"{whole_title} gives other outputs each time it runs (random operators); {_NOT_COMPARED}"
            )
        known: Arrays = dict(zip(entry.inputs, feed, strict=True))
        note(f"a stage of {entry.name}")
        try:
            for stage, made in runner.steps(known):
                for name, value in made.items():
                    inside = wanted[name] if name in wanted else whole.tensor(entry.tensors[name].index)
                    apart = _compare(inside, value, f"'{name}' of {stage.file}")
                    largest, exact = max(largest, apart), exact and identical(inside, value)
        except VerificationFailed:
            raise
        except StageboardError as error:
            raise VerificationFailed(f"{error}; nothing was written") from error
        for name, value in wanted.items():
            if name not in known:
                raise VerificationFailed(
                    f"no stage of {entry.name} gives its output '{name}'; nothing was written"
                )
            _compare(value, known[name], f"the output '{name}' of {entry.name}")
    note("the comparison")
    constant = tuple(
        f"{entry.name}: {name}"
        for name in entry.outputs
        if len(seen) > 1 and all(identical(seen[0][name], other[name]) for other in seen[1:])
    )
    return Checked(len(feeds), largest, exact, constant)


def _compare(whole: Any, stages: Any, what: str) -> float:
    apart = difference(whole, stages)
    if not apart <= TOLERANCE:
        amount = f"by {apart:.1e} of its largest value" if np.isfinite(apart) else _amount(whole, stages)
        raise VerificationFailed(f"{what} differs {amount} from the whole model's; nothing was written")
    return apart


def _amount(whole: Any, stages: Any) -> str:
    a, b = np.asarray(whole), np.asarray(stages)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"in type or shape ({b.dtype} {list(b.shape)}, not {a.dtype} {list(a.shape)})"
    return f"in {int(np.count_nonzero(a != b)):,} of {a.size:,} values"


# ------------------------------------------------------------------------------------------------------ random inputs
def _feeds(
    source: str, title: str, entry: ModelEntry, samples: int, rng: np.random.Generator
) -> tuple[list[list[Any]], list[Any]]:
    """Random inputs on which the whole model runs, and its outputs for the first of them in a fresh interpreter.

    Wide integers are indices more often than numbers: beyond a table's end they stop a model, so smaller ones are tried
    until it runs.
    """
    error: StageboardError | None = None
    for below in INTEGERS_BELOW:
        try:
            whole = TfliteModel(source, title)
            feeds = [
                [
                    random_input(detail, name, below, rng)
                    for detail, name in zip(whole.inputs, entry.inputs, strict=True)
                ]
                for _ in range(samples)
            ]
            outputs = [whole.run(feed) for feed in feeds]
            return feeds, outputs[0]
        except StageboardError as problem:
            error = problem
    raise NotComparable(f"{error}; {_NOT_COMPARED}")
