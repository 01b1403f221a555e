"""What a sweep runs: single runs, and the TOML files that describe many.

The keys of a file: ``models`` (paths, ``*`` allowed, relative to the file), ``targets`` (specifications), ``planners`` and
``bounds`` (names, or tables with ``name`` and ``set``), and optionally ``objectives``, ``seeds``, ``time_limit``
(seconds), ``gap``, ``granularity`` and ``[[generate]]`` tables (``kind``, ``seeds``, ``set``) for made-up models. Every
combination is one run; bounds take no seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.errors import StageboardError
from planner.guard import guarded
from planner.problem.grouping import GRANULARITIES
from planner.toml_file import read_toml


@dataclass(frozen=True)
class Run:
    """One planner or bound method on one problem. ``model`` is a path, or ``KIND:seed=N,key=value`` for a made-up graph or network.

    An empty ``objective`` is the target's first. ``options`` are sorted pairs; ``time_limit`` is in seconds.
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


def made_up(kind: str, seed: int, settings: Mapping[str, Any] | None = None) -> str:
    """The ``model`` of a made-up graph or network."""
    pairs = [f"seed={seed}", *(f"{k}={v}" for k, v in sorted((settings or {}).items()))]
    return f"{kind}:{','.join(pairs)}"


def read_sweep(path: str) -> list[Run]:
    """The runs of a TOML file, each once. Raises :class:`StageboardError` of one sentence."""
    file = Path(path)
    with guarded(file.name, StageboardError, remedy="correct it"):
        return list(dict.fromkeys(_Reader(file, read_toml(file)).runs()))


class _Reader:
    """Takes the table of a file apart; whatever is wrong is one sentence that names the key."""

    def __init__(self, file: Path, data: dict[str, Any]) -> None:
        self._file = file
        self._data = data
        known = {"models", "targets", "planners", "bounds", "objectives", "seeds", "time_limit", "gap",
                 "granularity", "generate"}  # fmt: skip
        for key in data:
            if key not in known:
                raise self._error(f"has the unknown key '{key}'; known are {', '.join(sorted(known))}")

    def _error(self, what: str) -> StageboardError:
        return StageboardError(f"{self._file.name} {what}")

    def runs(self) -> Iterator[Run]:
        """Every combination, models outermost."""
        models = [*self._paths(), *self._generated()]
        targets = self._texts("targets")
        planners, bounds = self._methods("planners"), self._methods("bounds")
        for key, value in (("models", models), ("targets", targets), ("planners", planners or bounds)):
            if not value:
                raise self._error(f"names no {key}; give at least one")
        seeds = self._seeds(self._data.get("seeds", [0]), "seeds")
        limit, gap = self._number("time_limit", 1e9), self._number("gap", 1.0)
        granularity = self._data.get("granularity", "op")
        if granularity not in GRANULARITIES:
            raise self._error(f"has granularity {granularity!r}; choose from {', '.join(GRANULARITIES)}")
        for model in models:
            for target in targets:
                for objective in self._texts("objectives") or [""]:
                    common = {"model": model, "target": target, "objective": objective,
                              "granularity": granularity, "time_limit": limit, "gap": gap}  # fmt: skip
                    for name, options in bounds:
                        yield Run(method=name, options=options, is_bound=True, **common)
                    for name, options in planners:
                        for seed in seeds:
                            yield Run(method=name, options=options, seed=seed, **common)

    def _texts(self, key: str) -> list[str]:
        value = self._data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self._error(f'has {key} = {value!r}; write a list of texts, such as ["..."]')
        return value

    def _paths(self) -> Iterator[str]:
        folder = self._file.parent
        for text in self._texts("models"):
            if "*" not in text:
                yield text
                continue
            found = sorted(str(p.relative_to(folder)) for p in folder.glob(text))
            if not found:
                raise self._error(f"names the models '{text}', but there are none")
            yield from found

    def _generated(self) -> Iterator[str]:
        from planner.generate.catalogue import NETWORKS, kind

        tables = self._data.get("generate", [])
        if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
            raise self._error("has 'generate' that is no list of tables; write [[generate]]")
        for table in tables:
            name = str(table.get("kind", ""))
            if name not in NETWORKS:
                name = kind(name).NAME
            for seed in self._seeds(table.get("seeds", 1), "generate.seeds"):
                yield made_up(name, seed, self._settings(table.get("set", {}), "generate.set"))

    def _methods(self, key: str) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        out = []
        entries = self._data.get(key, [])
        if not isinstance(entries, list):
            raise self._error(f"has {key} that is no list")
        for entry in entries:
            table = {"name": entry} if isinstance(entry, str) else entry
            if (
                not isinstance(table, dict)
                or not isinstance(table.get("name"), str)
                or set(table) - {"name", "set"}
            ):
                raise self._error(f"has {entry!r} in {key}; write a name or {{ name = ..., set = {{...}} }}")
            settings = self._settings(table.get("set", {}), f"{key}.set")
            out.append((table["name"], tuple(sorted(settings.items()))))
        return out

    def _settings(self, value: Any, key: str) -> dict[str, str]:
        if not isinstance(value, dict):
            raise self._error(f"has {key} that is no table")
        return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in value.items()}

    def _seeds(self, value: Any, key: str) -> list[int]:
        """A list of seeds, or how many to count from 0."""
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 1_000_000:
            return list(range(value))
        if (
            isinstance(value, list)
            and all(type(item) is int and 0 <= item < 2**63 for item in value)
            and value
        ):
            return value
        raise self._error(f"has {key} = {value!r}; write how many, or a list of whole numbers from 0")

    def _number(self, key: str, most: float) -> float | None:
        value = self._data.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
            raise self._error(f"has {key} = {value!r}; it must be a number above 0 and at most {most:g}")
        return float(value)
