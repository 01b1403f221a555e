"""What every window does with files: it asks for them, saves the plan, writes beside what is open, and says what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog

from gui.document.plan_list import PlanEntry, bounds_with
from gui.document.values import Message
from gui.look.drawn import Drawing
from gui.shell.picture_dialog import Choice, PictureDialog
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.shell.window import EditorWindow

PLANS = "Plans (*.json);;All files (*)"
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"


class FileDialogs:
    """A window's dealings with the disk. ``nameless`` stands for the model where there is none, in the names of files."""

    def __init__(self, window: EditorWindow, nameless: str) -> None:
        self._editor, self._nameless = window, nameless
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
        said = entry.name if entry.name.endswith(places) else f"{entry.name} {places}"
        words = "".join(c if c.isalnum() or c in "._-+" else " " for c in said).split()
        return f"{self.stem()}.{'-'.join(words)[:80]}.plan.json"

    def ask_drawing(
        self, views: Mapping[str, str], view: str, draw: Callable[[Choice], Drawing], *, cut: frozenset[str] = frozenset(),
        preview: bool = True,
    ) -> PictureDialog:  # fmt: skip
        """Ask how to draw a picture of what is open and where to write it, and write it."""
        dialog = PictureDialog(
            views, view, self._editor.theme, draw, cut=cut, preview=preview, parent=self._editor
        )

        def write(choice: Choice) -> None:
            path = self.ask_picture()
            if path is not None:
                self.export(lambda: draw(choice).save(path), path)

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
    def save_plan(self) -> bool:
        """Save to the plan's file, or ask for one; returns whether it is saved."""
        path = self._editor.document.plan_path
        return self.save_plan_as() if path is None else self._save(path)

    def save_plan_as(self) -> bool:
        """Ask for a file and save; returns whether it is saved."""
        path = self.ask_save("Save the plan", PLANS, ".json", self.plan_file(self._editor.document.active))
        return path is not None and self._save(path)

    def _save(self, path: Path) -> bool:
        try:
            self._editor.document.save_plan(path)
        except StageboardError as error:
            self.say("error", str(error))
            return False
        self.say_saved(path)
        return True

    def save_entry(self, entry: PlanEntry) -> None:
        """Ask for a file of its own for one plan of the list, and write it."""
        from planner.plan_files.plan_json import write_plan

        document = self._editor.document
        try:
            plan = document.plan_of(entry)
        except StageboardError as error:
            self.say("error", str(error))
            return
        path = self.ask_save(f"Save '{entry.name}'", PLANS, ".json", self.plan_file(entry))
        if path is not None:
            self.export(lambda: write_plan(path, plan, bounds_with(entry, document.bounds)), path)

    def say_saved(self, path: Path) -> None:
        """The plan is in a file now."""
        self.say("info", f"Saved {path.name}.")

    # ------------------------------------------------------------------ exporting
    def write(self, write: Callable[[], object], *paths: Path) -> bool:
        """Write files and say so; returns whether that went well."""
        try:
            write()
        except StageboardError as error:
            self.say("error", str(error))
            return False
        self.say("info", f"Wrote {' and '.join(path.name for path in paths)}.")
        return True

    def export(self, write: Callable[[], object], *paths: Path) -> bool:
        """Write files beside what is open, never over it; returns whether that went well."""
        from planner.export.sources import spare

        document: Any = self._editor.document
        plan = [] if document.plan_path is None else [document.plan_path]

        def spared() -> None:
            spare(paths, [*document.paths, *plan])
            write()

        return self.write(spared, *paths)
