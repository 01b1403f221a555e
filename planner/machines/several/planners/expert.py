"""A split made by a person, read from a file."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from planner.errors import PlanError, PlannerRefusal
from planner.formats.graphs.device_placement import read_split_file
from planner.options import Option
from planner.problem.problem import Problem
from planner.search.method import Planner, Source
from planner.search.search import Search


class Expert(Planner):
    """Read the split file that option ``split`` names and evaluate it.

    Where an accelerator runs several subgraphs in turn, all of its ops go to the first.
    """

    name: ClassVar[str] = "expert"
    title: ClassVar[str] = "Expert split"
    summary: ClassVar[str] = "a split made by a person, read from a device-placement split file"
    source: ClassVar[Source] = Source("device placement", "section 6, baselines")
    targets: ClassVar[frozenset[str]] = frozenset({"pool", "pipeline"})
    copes: ClassVar[frozenset[str]] = frozenset({"communication", "activations", "path"})
    objectives: ClassVar[frozenset[str]] = frozenset({"max-load", "gpipe", "latency", "bottleneck"})
    options: ClassVar[tuple[Option, ...]] = (Option("split", "", "path of the split file (JSON)"),)

    def search(self, problem: Problem, search: Search) -> None:
        """Raises :class:`PlannerRefusal` without a file and :class:`PlanError` when its split cannot be used."""
        path = str(search.options["split"])
        if not path:
            raise PlannerRefusal("'expert' reads a split file; name it with the option split=FILE")
        split = read_split_file(path, problem.graph)
        devices = problem.devices
        owner = problem.evaluator.owner.tolist()
        accelerators = [i for i, d in enumerate(devices) if d.kind != "cpu" and owner[i] == i]
        cpus = [i for i, d in enumerate(devices) if d.kind == "cpu"]
        place = np.full(split.accelerators + split.cpus, -1, np.int32)
        place[: split.accelerators][: len(accelerators)] = accelerators[: split.accelerators]
        place[split.accelerators :][: len(cpus)] = cpus[: split.cpus]
        device_of = place[split.device_of]
        if (device_of < 0).any():
            raise PlanError(
                f"{path} uses {split.accelerators} accelerators and {split.cpus} CPUs, the target has"
                f" {len(accelerators)} and {len(cpus)}; add devices to the target"
            )
        violations = problem.evaluator.violations(device_of)
        if violations:
            more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
            raise PlanError(
                f"the split in {path} breaks a rule of this problem: {violations[0].sentence}{more}"
            )
        search.incumbent(device_of)
        search.iteration()
