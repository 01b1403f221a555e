"""What a sweep runs: single runs, and the TOML files that describe many.

The keys of a file: ``models`` (paths, ``*`` allowed, relative to the file, or tables with ``file`` and ``times``, profiles of it), ``targets`` (specifications), ``planners`` and
``bounds`` (names, or tables with ``name`` and ``set``), and optionally ``objectives``, ``seeds``, ``time_limit``
(seconds), ``gap``, ``granularity`` and ``[[generate]]`` tables (``kind``, ``seeds``, ``set``) for made-up models. Every
combination is one run; bounds take no seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from planner.errors import StageboardError
from planner.guard import guarded
from planner.problem.grouping import GRANULARITIES
from planner.toml_file import read_toml
from planner.typed_json import typed


@dataclass(frozen=True)
class Run:
    """One planner or bound method on one problem. ``model`` is a path, or ``KIND:seed=N,key=value`` for a made-up graph or network.

    An empty ``objective`` is the target's first. ``options`` are sorted pairs; ``time_limit`` is in seconds. ``times`` are profiles of the
    model, named as :mod:`planner.formats.times.named` has it.
    """

    model: str
    target: str
    method: str
    is_bound: bool = False
    objective: str = ""
    granularity: str = "op"
    options: tuple[tuple[str, str], ...] = ()
    seed: int = 0
    time_limit: float | None = None
    gap: float | None = None
    times: tuple[str, ...] = ()


def made_up(kind: str, seed: int, settings: Mapping[str, Any] | None = None) -> str:
    """The ``model`` of a made-up graph or network."""
    pairs = [f"seed={seed}", *(f"{k}={v}" for k, v in sorted((settings or {}).items()))]
    return f"{kind}:{','.join(pairs)}"


def read_sweep(path: str) -> list[Run]:
    """The runs of a TOML file, each once. Raises :class:`StageboardError` of one sentence."""
    file = Path(path)
    with guarded(file.name, StageboardError, remedy="correct it"):
        return list(dict.fromkeys(_Reader(file, read_toml(file)).runs()))


class _Method(Struct, forbid_unknown_fields=True):
    name: str
    set: dict[str, Any] = {}


class _Model(Struct, forbid_unknown_fields=True):
    file: Annotated[str, Meta(min_length=1)]
    times: list[Annotated[str, Meta(min_length=1)]] = []


_Texts = list[Annotated[str, Meta(min_length=1)]]
_Models = list[
    Annotated[
        Annotated[str, Meta(min_length=1)] | _Model,
        Meta(description="text that is not empty or { file = ..., times = [...] }"),
    ]
]
_Methods = list[Annotated[str | _Method, Meta(description="a name or { name = ..., set = {...} }")]]
_Seeds = Annotated[
    Annotated[int, Meta(ge=1, le=1_000_000)]
    | Annotated[list[Annotated[int, Meta(ge=0, le=2**63 - 1)]], Meta(min_length=1)],
    Meta(description="how many, or a list of whole numbers from 0"),
]


class _Generated(Struct):
    kind: Any = ""
    seeds: _Seeds = 1
    set: dict[str, Any] = {}


class _Sweep(Struct, forbid_unknown_fields=True):
    models: _Models = []
    targets: _Texts = []
    planners: _Methods = []
    bounds: _Methods = []
    objectives: _Texts = []
    seeds: _Seeds = 1
    time_limit: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    gap: Annotated[float, Meta(gt=0, le=1)] | None = None
    granularity: str = "op"
    generate: Annotated[list[_Generated], Meta(description="a list of tables, each under [[generate]]")] = []


class _Reader:
    """Makes runs of what a file says; whatever is wrong is one sentence that names the key."""

    def __init__(self, file: Path, data: dict[str, Any]) -> None:
        self._file = file
        self._data = typed(data, _Sweep, file.name, StageboardError)

    def _error(self, what: str) -> StageboardError:
        return StageboardError(f"{self._file.name} {what}")

    def runs(self) -> Iterator[Run]:
        """Every combination, models outermost."""
        data = self._data
        models = [*self._paths(), *self._generated()]
        planners, bounds = _methods(data.planners), _methods(data.bounds)
        for key, value in (("models", models), ("targets", data.targets), ("planners", planners or bounds)):
            if not value:
                raise self._error(f"names no {key}; give at least one")
        if data.granularity not in GRANULARITIES:
            raise self._error(f"has granularity {data.granularity!r}; choose from {', '.join(GRANULARITIES)}")
        for model, times in models:
            for target in data.targets:
                for objective in data.objectives or [""]:
                    common: dict[str, Any] = {
                        "model": model,
                        "times": times,
                        "target": target,
                        "objective": objective,
                        "granularity": data.granularity,
                        "time_limit": data.time_limit,
                        "gap": data.gap,
                    }
                    for name, options in bounds:
                        yield Run(method=name, options=options, is_bound=True, **common)
                    for name, options in planners:
                        for seed in _listed(data.seeds):
                            yield Run(method=name, options=options, seed=seed, **common)

    def _paths(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        folder = self._file.parent
        for entry in self._data.models:
            model = _Model(entry) if isinstance(entry, str) else entry
            text, times = model.file, tuple(model.times)
            if "*" not in text:
                yield text, times
                continue
            found = sorted(str(p.relative_to(folder)) for p in folder.glob(text))
            if not found:
                raise self._error(f"names the models '{text}', but there are none")
            yield from ((path, times) for path in found)

    def _generated(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        from planner.generate.catalogue import NETWORKS, kind

        for table in self._data.generate:
            name = str(table.kind)
            if name not in NETWORKS:
                name = kind(name).NAME
            for seed in _listed(table.seeds):
                yield made_up(name, seed, _settings(table.set)), ()


def _methods(entries: list[str | _Method]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    methods = [_Method(entry) if isinstance(entry, str) else entry for entry in entries]
    return [(method.name, tuple(sorted(_settings(method.set).items()))) for method in methods]


def _settings(given: dict[str, Any]) -> dict[str, str]:
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in given.items()
    }


def _listed(seeds: int | list[int]) -> list[int]:
    """Seeds, of which a file may say how many to count from 0."""
    return list(range(seeds)) if isinstance(seeds, int) else seeds
