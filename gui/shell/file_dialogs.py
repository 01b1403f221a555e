"""What every window does with files: it asks for them, saves the plan, writes beside what is open, and says what happened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog

from gui.background.writing import FilesOrder, Writing, save_drawing
from gui.document.plan_list import PlanEntry, bounds_with
from gui.document.saving import saving
from gui.document.values import Message
from gui.look.drawn import Drawing
from gui.shell.picture_dialog import Choice, PictureDialog
from gui.widgets.folders import show_folder
from planner.errors import StageboardError
from planner.export.stages.child import Cancelled
from planner.printable import plural

if TYPE_CHECKING:
    from gui.shell.window import EditorWindow

PLANS = "Plans (*.json);;All files (*)"
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"
AT_ONCE_UP_TO = 1_000
"""Ops or connections of the largest model of which files are written at once; those of larger ones are written beside the window."""


class FileDialogs:
    """A window's dealings with the disk. ``nameless`` stands for the model where there is none, in the names of files."""

    def __init__(self, window: EditorWindow, nameless: str) -> None:
        self._editor, self._nameless = window, nameless
        self.writing: Writing | None = None
        """What is being written in the background; None before the first time."""
        self._previews: Writing | None = None
        self._written: Callable[[StageboardError | None], None] | None = None
        self.folder = ""
        """Where the last file was chosen."""

    # ------------------------------------------------------------------ asking
    def say(self, level: str, text: str) -> None:
        """Let the document say something: whoever shows it hears."""
        self._editor.document.message.emit(Message(level, text))

    def ask_open(self, title: str, filters: str) -> list[Path]:
        """Ask for files to open; empty where nothing was chosen."""
        names, _ = QFileDialog.getOpenFileNames(self._editor, title, self.folder, filters)
        return [Path(name) for name in names]

    def ask_save(self, title: str, filters: str, suffix: str, default: str) -> Path | None:
        """Ask for a file to write, ``default`` unless another name is given; ``suffix`` is added where it has none."""
        start = str(Path(self.folder) / default) if self.folder else default
        name, _ = QFileDialog.getSaveFileName(self._editor, title, start, filters)
        if not name:
            return None
        path = Path(name)
        self.folder = str(path.parent)
        return path if path.suffix else path.with_suffix(suffix)

    def stem(self) -> str:
        """The open model's name as the beginning of a file's name."""
        problem = self._editor.document.problem
        name = (
            "" if problem is None else "".join(c if c.isalnum() or c in "._- " else "_" for c in problem.name)
        )
        return name.strip() or self._nameless

    def plan_file(self, entry: PlanEntry | None) -> str:
        """A file's name that tells a plan from others of its model: ``ResNet50.slice-6-stages.plan.json``."""
        if entry is None:
            return f"{self.stem()}.plan.json"
        places = getattr(entry.problem, "places", "")
        told = re.search(rf"\b{re.escape(places)}\b", entry.name)
        said = entry.name if told or not places else f"{entry.name} {places}"
        words = "".join(c if c.isalnum() or c in "._-+" else " " for c in said).split()
        return f"{self.stem()}.{'-'.join(words)[:80]}.plan.json"

    def ask_drawing(
        self, views: Mapping[str, str], view: str, drawing: Callable[[Choice], Callable[[], Drawing]], *, cut: frozenset[str] = frozenset(),
        at_once: bool = True, title: str = "", elsewhere: str = "",
    ) -> PictureDialog:  # fmt: skip
        """Ask how to draw a picture of what is open and where to write it, and write it.

        ``drawing`` gives the call that makes it as things are when it is asked, of a module's function and with what can be pickled;
        ``at_once``: whether that takes so little that the window may wait for the preview; the rest is as for the dialog.
        """
        if not at_once and self._previews is None:
            self._previews = Writing(self._editor, "preview")
        dialog = PictureDialog(
            views,
            view,
            self._editor.theme,
            drawing,
            cut=cut,
            beside=None if at_once else self._previews,
            title=title,
            elsewhere=elsewhere,
            parent=self._editor,
        )

        def write(choice: Choice) -> None:
            path = self.ask_picture()
            if path is not None:
                self.export(partial(save_drawing, drawing(choice), path), path, draws=True)

        dialog.chosen.connect(write)
        dialog.open()
        return dialog

    def ask_picture(self) -> Path | None:
        """Ask for a picture to write; None where nothing was chosen, or no picture."""
        path = self.ask_save("Export a picture", PICTURES, ".png", f"{self.stem()}.png")
        if path is None or path.suffix.lower() in (".png", ".svg", ".pdf"):
            return path
        self.say(
            "error", f"{path.name}: pictures are written as .png, .svg or .pdf; give it one of these endings"
        )
        return None

    # ------------------------------------------------------------------ saving
    def save_plan(self, *, beside: bool = False) -> bool:
        """Save to the plan's file, or ask for one; returns whether it is saved. ``beside`` the window where it takes long: then it is not yet."""
        path = self._editor.document.plan_path
        return self.save_plan_as(beside=beside) if path is None else self._save(path, beside)

    def save_plan_as(self, *, beside: bool = False) -> bool:
        """Ask for a file and save; returns whether it is saved."""
        path = self.ask_save("Save the plan", PLANS, ".json", self.plan_file(self._editor.document.active))
        return path is not None and self._save(path, beside)

    def _save(self, path: Path, beside: bool) -> bool:
        document = self._editor.document
        try:
            if beside and self.takes_long():
                write, saved = saving(document, path)
                self._write_beside(FilesOrder(write), [path], lambda: self._saved_beside(path, saved()))
                return False
            document.save_plan(path)
        except StageboardError as error:
            self.say("error", str(error))
            return False
        self.say_saved(path)
        return True

    def _saved_beside(self, path: Path, all_of_it: bool) -> None:
        if all_of_it:
            self.say_saved(path)
        else:
            self.say("info", f"Saved {path.name}, as the plan was then; it has changed since.")

    def save_entry(self, entry: PlanEntry) -> bool:
        """Ask for a file of its own for one plan of the list, and write it; returns whether a file was named."""
        from planner.plan_files.plan_json import write_plan

        document = self._editor.document
        try:
            plan = document.plan_of(entry)
        except StageboardError as error:
            self.say("error", str(error))
            return False
        path, decision = (
            self.ask_save(f"Save '{entry.shown_name}'", PLANS, ".json", self.plan_file(entry)),
            entry.device_of.copy(),
        )

        def kept() -> None:
            entry.path = path
            entry.keep(decision, plan.problem, plan.name)
            document.plans_changed.emit()

        if path is not None:
            self.export(partial(write_plan, path, plan, bounds_with(entry, document.bounds)), path, then=kept)
        return path is not None

    def say_saved(self, path: Path) -> None:
        """The plan is in a file now."""
        self._editor.memory.remember_plan()
        broken = len(self._editor.document.evaluation.violations)
        said = f" ({plural(broken, 'violation')})" if broken else ""
        self.say("info", f"Saved {path.name}{said}.")

    # ------------------------------------------------------------------ exporting
    def takes_long(self) -> bool:
        """Whether what is open is so large that the window would wait for its files."""
        problem: Any = self._editor.document.problem
        if problem is None:
            return False
        model = problem.network if problem.target.plans_networks else problem.graph
        return bool(getattr(model, "connection_count", getattr(model, "n", 0)) > AT_ONCE_UP_TO)

    def export(
        self,
        write: Callable[[], object],
        *paths: Path,
        draws: bool = False,
        then: Callable[[], object] | None = None,
    ) -> None:
        """Write files, never over what is open, and say so, with a way to their folder; ``then`` is called once they are there.

        ``write`` is a call of a module's function, with what can be pickled: of a large model it is made in a process beside the window.
        """
        from planner.export.sources import spare

        document: Any = self._editor.document
        plan = [] if document.plan_path is None else [document.plan_path]

        def written() -> None:
            self._editor.notice.show_message(
                "info", f"Wrote {' and '.join(path.name for path in paths)}.",
                action="Show Folder", run=lambda: show_folder(paths[0].absolute().parent),
            )  # fmt: skip
            if then is not None:
                then()

        try:
            spare(paths, [*document.paths, *plan])
            if self.takes_long():
                self._write_beside(FilesOrder(write, draws), paths, written)
                return
            write()
        except StageboardError as error:
            self.say("error", str(error))
            return
        written()

    def _write_beside(self, order: FilesOrder, paths: Sequence[Path], written: Callable[[], object]) -> None:
        """Raises :class:`StageboardError` while something else is being written."""
        if self.writing is None:
            self.writing = Writing(self._editor)
            self.writing.done.connect(self._ended)
        self.writing.start(order)
        names = " and ".join(path.name for path in paths)
        text = f"Writing {names} …"

        def ended(error: StageboardError | None) -> None:
            if error is None:
                written()
            else:
                self.say("info" if isinstance(error, Cancelled) else "error", str(error))

        self._written = ended
        self._editor.notice.show_message("info", text, action="Cancel", run=self.cancel_writing, stays=True)
        self._editor.update_actions()

    @property
    def is_writing(self) -> bool:
        """Whether files are being written in the background."""
        return self.writing is not None and self.writing.busy

    def cancel_writing(self) -> None:
        """Stop writing; nothing is left of it."""
        if self.writing is not None:
            self.writing.cancel()

    def _ended(self, _result: object, error: StageboardError | None) -> None:
        ended, self._written = self._written, None
        self._editor.update_actions()
        if ended is not None:
            ended(error)

    def drop(self) -> None:
        """End what is being written (the window closes)."""
        for work in (self.writing, self._previews):
            if work is not None:
                work.drop()
