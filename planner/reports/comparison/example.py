"""The example of a comparison: the best contiguous and the best non-contiguous split of a BERT of three layers.

The plans are in `assets/examples`, made and proven optimal by `tools/make_examples.py`. There are two pairs: one for
`sample_models/bert_3.json`, and one for the profiled graph `bert_l-3_inference` of the device placement paper's workloads,
which is not ours to ship: its plans name ops by number only, and serve whoever has that file.
"""

from __future__ import annotations

import os
from pathlib import Path

from planner.errors import PlanError, StageboardError
from planner.formats import read_graph
from planner.model.samples import ASSETS, sample
from planner.plan_files.plan_parts import load

EXAMPLES = ASSETS / "examples"
MODEL = "bert_3.json"
"""The sample model of the example."""
CONTIGUOUS, FREE = "contiguous", "non_contiguous"
"""Endings of the two plans' names; the reference comes first."""


def plan_files(model: str) -> tuple[Path, Path]:
    """Where the two plans of a model of this name are; whether or not they are there."""
    return EXAMPLES / f"{model}_{CONTIGUOUS}.plan.json", EXAMPLES / f"{model}_{FREE}.plan.json"


def example_files(model: str | os.PathLike[str] | None = None) -> tuple[Path, tuple[Path, ...]]:
    """(model, plans) to compare: the shipped example, or the shipped plans for ``model``, told by its content.

    Raises :class:`StageboardError` where the files are missing or none are for ``model``.
    """
    if model is None:
        path = sample(MODEL)
        plans = plan_files(path.stem)
        missing = next((plan for plan in plans if not plan.is_file()), None)
        if missing is not None:
            raise StageboardError(f"{missing} is missing; take it from the sources of Stageboard")
        return path, plans
    path = Path(model)
    fingerprint = read_graph(path).fingerprint
    suffix = f"_{CONTIGUOUS}.plan.json"
    for first in sorted(EXAMPLES.glob(f"*{suffix}")):
        graph = load(first).get("graph")
        if isinstance(graph, dict) and graph.get("fingerprint") == fingerprint:
            return path, plan_files(first.name.removesuffix(suffix))
    raise PlanError(f"no example plans are shipped for {path.name}; name two to four plans after it")
