"""What is remembered between two runs: recent files, the window, the target of each model, the theme.

An ini file under the user's configuration folder, which several windows of several processes read and write at once. Whatever it
holds, reading it never fails: what makes no sense is left out, and a file of a later version is not used; either is kept
beside it.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from gui.shell.open_tabs import OpenTabs
from planner.errors import StageboardError
from planner.files import write_atomically

if TYPE_CHECKING:
    from planner.model.graph import Graph
    from planner.model.network import Network
    from planner.problem.target import Target

VERSION = 1
MOST_RECENT = 12
MOST_TARGETS = 200
THEMES = ("system", "light", "dark")
KINDS: dict[str, type] = {"recent": list, "plans": list, "stories": list, "targets": dict}
"""What texts under these keys hold as JSON."""


def settings_path() -> Path:
    """Where the file is."""
    import platformdirs

    return Path(platformdirs.user_config_path("stageboard", appauthor=False)) / "session.ini"


@dataclass(frozen=True)
class SavedPlan:
    """A plan's file, the files of its model, and the model's fingerprint."""

    path: Path
    models: tuple[Path, ...]
    fingerprint: str

    @property
    def is_there(self) -> bool:
        """Whether it can be opened."""
        return all(path.is_file() for path in (self.path, *self.models))


class Session(QObject):
    """Settings that outlive the window. Every setter writes through; Qt puts it on disk a moment later."""

    recent_changed = Signal()
    refused = Signal(str)
    """The disk does not take them, where that shows for the first time: a sentence."""
    value_changed = Signal(str)
    """Under this key another text is kept now."""

    def __init__(self, path: Path | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path or settings_path()
        self._store = QSettings(str(self._path), QSettings.Format.IniFormat, self)
        self.damaged: Path | None = None
        """A copy of the file as it was found, where not all of it makes sense."""
        self.trouble = ""
        """What the disk does not take, in a sentence; empty as long as it takes all."""
        self._mend()
        self._store.setValue("version", str(VERSION))

    def _mend(self) -> None:
        """Leave out what makes no sense, after a copy was made."""
        other = bool(self._store.allKeys()) and self._text("version") != str(VERSION)
        bad = [key for key, kind in KINDS.items() if self._text(key) and not self._is_json(key, kind)]
        if not bad and not other and self._store.status() == QSettings.Status.NoError and self._has_sense():
            return
        kept = self._path.with_name(self._path.name + ".damaged")
        with contextlib.suppress(OSError, StageboardError):
            write_atomically(kept, self._path.read_bytes())
            self.damaged = kept
        if other:
            self._store.clear()
        for key in bad:
            self._store.remove(key)
        self._store.sync()

    def _has_sense(self) -> bool:
        """Whether Qt found keys in the file, where there is anything in it. It says nothing of what it skips."""
        try:
            return bool(self._store.allKeys()) or not self._path.read_bytes().strip()
        except OSError:
            return True

    def _is_json(self, key: str, kind: type) -> bool:
        try:
            return isinstance(json.loads(self._text(key)), kind)
        except (ValueError, RecursionError):
            return False

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """What other processes wrote is read, and none of them writes until what this one writes is there."""
        with contextlib.ExitStack() as held:
            with contextlib.suppress(ImportError, OSError):
                import fcntl

                self._path.parent.mkdir(parents=True, exist_ok=True)
                folder = os.open(self._path.parent, os.O_RDONLY)
                held.callback(os.close, folder)
                fcntl.flock(folder, fcntl.LOCK_EX)
            self._store.sync()
            yield
            self.sync()

    @property
    def open_tabs(self) -> OpenTabs:
        """The record of what is open, beside the settings."""
        return OpenTabs(self._path.with_name("tabs"))

    # ------------------------------------------------------------------ raw values
    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else ""

    def _json(self, key: str, kind: type) -> Any:
        """A JSON value of one kind; an empty one where there is none or it is damaged."""
        try:
            value = json.loads(self._text(key) or "null")
        except (ValueError, RecursionError):
            value = None
        return value if isinstance(value, kind) else kind()

    def value(self, key: str, default: str = "") -> str:
        """A text under a key of the caller's own (``view``, ``left tab`` and so on)."""
        return self._text(f"more/{key}") or default

    def set_value(self, key: str, value: str) -> None:
        """Keep a text under a key of the caller's own."""
        before = self.value(key)
        self._store.setValue(f"more/{key}", value)
        if value != before:
            self.value_changed.emit(key)

    def sync(self) -> None:
        """Put everything on disk now, as far as it takes it."""
        self._store.sync()
        if not self.trouble and self._store.status() == QSettings.Status.AccessError:
            self.trouble = f"Settings and recent files cannot be kept in {self._path.parent}; they are forgotten when the program ends."
            self.refused.emit(self.trouble)

    # ------------------------------------------------------------------ recent files
    @property
    def recent(self) -> list[tuple[Path, ...]]:
        """Models opened of late, latest first; each is one file or several that were opened together."""
        found: list[tuple[Path, ...]] = []
        for entry in self._json("recent", list):
            if (
                isinstance(entry, list)
                and entry
                and all(isinstance(p, str) and p and "\0" not in p for p in entry)
            ):
                found.append(tuple(Path(p) for p in entry))
        return found[:MOST_RECENT]

    def add_recent(self, paths: tuple[Path, ...]) -> None:
        """A model was opened."""
        if paths:
            whole = tuple(Path(os.path.abspath(path)) for path in paths)
            with self._alone():
                self._set_recent([whole, *(other for other in self.recent if other != whole)])

    def clear_recent(self) -> None:
        """Forget all of them, plans and stories among them."""
        with self._alone():
            self._store.remove("plans")
            self._store.remove("stories")
            self._set_recent([])

    @property
    def saved_plans(self) -> list[SavedPlan]:
        """Plans saved or opened of late, latest first."""
        return [
            SavedPlan(Path(entry[1]), tuple(map(Path, entry[2:])), entry[0])
            for entry in self._json("plans", list)
            if isinstance(entry, list)
            and len(entry) > 2
            and all(isinstance(p, str) and p and "\0" not in p for p in entry)
        ][:MOST_RECENT]

    def add_plan(self, path: Path, models: tuple[Path, ...], fingerprint: str) -> None:
        """A plan of a model that is in files was saved or opened."""
        if models:
            path, *models_now = (Path(os.path.abspath(one)) for one in (path, *models))
            with self._alone():
                others = [one for one in self.saved_plans if one.path != path]
                kept = [SavedPlan(path, tuple(models_now), fingerprint), *others][:MOST_RECENT]
                written = [[one.fingerprint, str(one.path), *map(str, one.models)] for one in kept]
                self._store.setValue("plans", json.dumps(written))
            self.recent_changed.emit()

    @property
    def stories(self) -> list[Path]:
        """Stories opened or saved of late, latest first."""
        given = self._json("stories", list)
        return [Path(entry) for entry in given if isinstance(entry, str) and entry and "\0" not in entry][
            :MOST_RECENT
        ]

    def clear_stories(self) -> None:
        """Forget the stories alone."""
        with self._alone():
            self._store.remove("stories")
        self.recent_changed.emit()

    def add_story(self, path: Path) -> None:
        """A story was opened or saved."""
        whole = Path(os.path.abspath(path))
        with self._alone():
            kept = [whole, *(other for other in self.stories if other != whole)][:MOST_RECENT]
            self._store.setValue("stories", json.dumps(list(map(str, kept))))
        self.recent_changed.emit()

    def _set_recent(self, recent: list[tuple[Path, ...]]) -> None:
        self._store.setValue(
            "recent", json.dumps([[str(path) for path in paths] for paths in recent[:MOST_RECENT]])
        )
        self.recent_changed.emit()

    # ------------------------------------------------------------------ windows
    def place(self, name: str) -> tuple[QByteArray, QByteArray]:
        """What QWidget.saveGeometry and QMainWindow.saveState gave for a kind of window; empty at first."""
        geometry, layout = (self._store.value(f"{name}/{part}") for part in ("geometry", "layout"))
        return (
            geometry if isinstance(geometry, QByteArray) else QByteArray(),
            layout if isinstance(layout, QByteArray) else QByteArray(),
        )

    def keep_place(self, name: str, geometry: QByteArray, layout: QByteArray) -> None:
        """Keep where windows of a kind are and how their panels are arranged."""
        self._store.setValue(f"{name}/geometry", geometry)
        self._store.setValue(f"{name}/layout", layout)

    @property
    def theme(self) -> str:
        """system, light or dark."""
        chosen = self._text("theme")
        return chosen if chosen in THEMES else "system"

    @theme.setter
    def theme(self, value: str) -> None:
        if value not in THEMES:
            raise ValueError(f"theme '{value}' is not one of {', '.join(THEMES)}")
        self._store.setValue("theme", value)

    # ------------------------------------------------------------------ targets
    def target_for(self, graph: Graph) -> tuple[Target, str] | None:
        """The target and the objective that this model was planned for last, if they still fit it."""
        from planner.machines.spec import target_from_dict
        from planner.problem.problem import Problem

        kept = self._json("targets", dict).get(graph.fingerprint)
        if not isinstance(kept, dict) or not isinstance(kept.get("target"), dict):
            return None
        try:
            target = target_from_dict(kept["target"])
            problem = Problem(graph, target, str(kept.get("objective", "")))
        except (StageboardError, TypeError, ValueError):
            return None
        return target, problem.objective

    def memory_for(self, network: Network) -> Target | None:
        """The fast memory that this network was planned for last."""
        from planner.machines.spec import target_from_dict

        kept = self._json("targets", dict).get(network.fingerprint)
        if not isinstance(kept, dict) or not isinstance(kept.get("target"), dict):
            return None
        try:
            target = target_from_dict(kept["target"])
        except (StageboardError, TypeError, ValueError):
            return None
        return target if target.plans_networks else None

    def keep_target(self, graph: Graph | Network, target: Target, objective: str) -> None:
        """Remember what a model or a network is planned for."""
        with self._alone():
            targets: dict[str, Mapping[str, Any]] = self._json("targets", dict)
            targets.pop(graph.fingerprint, None)
            targets[graph.fingerprint] = {"target": target.to_dict(), "objective": objective}
            latest = dict(list(targets.items())[-MOST_TARGETS:])
            self._store.setValue("targets", json.dumps(latest))
