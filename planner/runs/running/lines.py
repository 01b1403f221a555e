"""From exported stages to lines: which device runs what, what it is fed, and who hands what to whom."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from planner.errors import StageboardError
from planner.export.stages.folder import Manifest, ModelEntry, read_manifest
from planner.problem.problem import Plan
from planner.runs.running.cores import share_out
from planner.runs.running.line import Edge, levels
from planner.runs.running.order import RunOrder, Split
from planner.runs.running.prepare import Prepared, key
from planner.runs.running.stage import Job, Program


class Chain(NamedTuple):
    """The stages of a plan: what each device does, which device that is, and what passes between them."""

    jobs: tuple[Job, ...]
    devices: tuple[int, ...]
    edges: tuple[Edge, ...]


def check_runnable(plan: Plan) -> None:
    """Raise :class:`StageboardError` for plans whose stages several devices share."""
    e = plan.evaluation
    shared = [d for d, copies in enumerate(e.replicas.tolist()) if copies > 1]
    if shared:
        name = plan.problem.devices[shared[0]].name
        raise StageboardError(
            f"the stage of {name} is shared by {int(e.replicas[shared[0]])} devices, which are not run here; plan with replication=false"
        )


def chain_of(split: Split, folder: Path, order: RunOrder, prepared: Prepared, cores: Sequence[int]) -> Chain:
    """The stages of an exported plan. Raises :class:`StageboardError` where devices wait for one another."""
    manifest = read_manifest(folder)
    names = [device.name for device in split.problem.devices]
    programs: dict[int, list[tuple[int, Program]]] = {}
    for m, entry in enumerate(manifest.models):
        for stage in entry.stages:
            program = Program(
                str(folder / stage.file), stage.file, _keys(m, stage.inputs), _keys(m, stage.outputs)
            )
            programs.setdefault(names.index(stage.device), []).append((m, program))
    devices = tuple(sorted(programs))
    if not devices:
        raise StageboardError("the plan has no ops to run; plan a model that computes something")
    made = {name: d for d in devices for _, program in programs[d] for name in program.outputs}
    given = {key(m, name) for m, entry in enumerate(manifest.models) for name in entry.inputs}
    results = {key(m, name) for m, entry in enumerate(manifest.models) for name in entry.outputs}
    passed: dict[tuple[int, int], dict[str, None]] = {}
    for i, d in enumerate(devices):
        for _, program in programs[d]:
            for name in program.inputs:
                if name not in given and made[name] != d:
                    passed.setdefault((devices.index(made[name]), i), {})[name] = None
    edges = tuple(Edge(a, b, tuple(tensors)) for (a, b), tensors in sorted(passed.items()))
    if levels(len(devices), edges) is None:
        raise StageboardError(
            f"{_in_turns(names, devices, manifest)} with ops of other devices in between, and has to wait for them with each sample; such a plan"
            " has no stages to run, plan with contiguous=true"
        )
    placed = share_out(cores, len(devices), order.threads)
    jobs = []
    for i, d in enumerate(devices):
        mine = [program for _, program in programs[d]]
        read = {name for program in mine for name in program.inputs}
        gives = [name for program in mine for name in program.outputs if name in results]
        # A CPU of a machine stays one, whatever runs the others.
        provider = "" if split.problem.devices[d].kind == "cpu" else order.provider
        jobs.append(
            _job(names[d], manifest.kind, mine, sorted(read & given), gives, str(folder / f"kept-{i}"), placed[i], order.threads,
                 provider, prepared)
        )  # fmt: skip
    return Chain(tuple(jobs), devices, edges)


def whole_jobs(order: RunOrder, models: Sequence[ModelEntry], kind: str, prepared: Prepared, place: Path,
               cores: Sequence[int], count: int) -> tuple[Job, ...]:  # fmt: skip
    """As many processes as asked for, each with the whole models."""
    programs: list[Program] = []
    given: list[str] = []
    gives: list[str] = []
    for m, (source, entry) in enumerate(zip(order.sources, models, strict=True)):
        inputs, outputs = _keys(m, entry.inputs), _keys(m, entry.outputs)
        programs.append(Program(str(source), f"the whole model {entry.source}", inputs, outputs))
        given += inputs
        gives += outputs
    placed = share_out(cores, count, order.threads)
    return tuple(
        _job("the whole model", kind, programs, given, gives, str(place / f"kept-whole-{i}"), placed[i],
             order.threads, order.provider, prepared)
        for i in range(count)
    )  # fmt: skip


def _keys(model: int, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(key(model, name) for name in names)


def _in_turns(names: Sequence[str], devices: Sequence[int], manifest: Manifest) -> str:
    """Who runs its ops in several goes."""
    counts = {
        d: max(sum(stage.device == names[d] for stage in model.stages) for model in manifest.models)
        for d in devices
    }
    worst = max(devices, key=counts.__getitem__)
    return f"{names[worst]} runs its ops in {counts[worst]} goes"


def _job(
    name: str, kind: str, programs: Sequence[Program], fed: Sequence[str], gives: Sequence[str], keeps: str,
    cores: tuple[int, ...], threads: int, provider: str, prepared: Prepared,
) -> Job:  # fmt: skip
    os.makedirs(keeps)
    feeds = prepared.feeds if fed else ()
    return Job(name, kind, tuple(programs), feeds, tuple(fed), tuple(gives), keeps, cores, threads, provider)
