"""The story of a window: its draft, what is recorded into it, its panel, and what its actions do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from gui.background.loading import Loading
from gui.document.crash_files import remove
from gui.look.numbers import plural
from gui.shell.closing import Unsaved
from gui.shell.host import reveal
from gui.shell.window import EditorWindow
from gui.tools.story import certificates
from gui.tools.story.draft import Draft, sources_of
from gui.tools.story.editor import view_title
from gui.tools.story.exports import EXPORTS, StoryExports
from gui.tools.story.frames import Frame, ModelSource
from gui.tools.story.keeping import DraftAutosave, LostStory
from gui.tools.story.panel import StoryPanel
from gui.tools.story.reaching import Revisiting
from gui.tools.story.recorder import Recorder
from gui.tools.story.searching import Searching
from gui.tools.story.shots import Shots
from gui.tools.story.story_stage import StoryStage
from planner.errors import StageboardError
from planner.model.samples import STORIES as SHIPPED
from planner.problem.problem import Plan
from planner.story.story import Resolved

if TYPE_CHECKING:
    from gui.look.theme import Theme
    from gui.present.window import PresenterWindow

STORIES = "Stories (*.story.json);;All files (*)"
SUFFIX = ".story.json"
IN_MENU = (
    "story.retake", "story.replay", "", "story.new", "story.open", "story.save", "story.save_as", "", "story.export",
    "story.certificate",
)  # fmt: skip


def _is_shipped(path: Path) -> bool:
    """Whether a story is one that Stageboard brings along: nobody's own is kept there."""
    return path.parent.resolve() == SHIPPED.resolve()


class Studio(QObject):
    """Does what :data:`gui.tools.story.actions.STORY_ACTIONS` ask for, in a window (a QMainWindow with what :class:`~gui.tools.story.story_stage.StoryStage` asks for)."""

    said = Signal(str, str)
    """Level and text of what was said in the window."""

    def __init__(self, window: Any, shots: Shots, revisit: Callable[[Frame, tuple[int, ...]], None]) -> None:
        super().__init__(window)
        self._window: StoryStage = window
        self._parent: QWidget = window
        self._shots = shots
        self.revisiting = Revisiting(window, shots, revisit, self._say)
        self._folder = ""
        self.draft = Draft(self)
        self.autosave: DraftAutosave | None = None
        """Where nothing is remembered, nothing is kept for a crash."""
        if window.session is not None:
            self.autosave = DraftAutosave(self.draft)
            self.autosave.message.connect(lambda said: window.say(said.level, said.text))
        self.recorder = Recorder(shots, self.draft, self)
        self.panel = StoryPanel(window.document, self.draft, self.recorder, window.themes.theme)
        self.loading = Loading(window)
        self.exports = StoryExports(window, self.said, self)
        self._presenter: PresenterWindow | None = None
        self.panel.present_requested.connect(lambda: self._try(self.present_from_here))
        self.panel.show_requested.connect(self.show_keyframe)
        self.panel.menu_requested.connect(self._fill)
        self.panel.failed.connect(lambda text: window.say("error", text))
        self._searching = Searching(self)
        self._searching.found.connect(self._searched)
        self._searching.failed.connect(lambda text, detail: window.say("error", text, detail))
        self.draft.frames_changed.connect(window.update_actions)
        window.document.readouts_changed.connect(self._proven)
        self.recorder.recording_changed.connect(lambda _: window.update_actions())

    def _say(self, level: str, text: str, detail: str = "") -> None:
        """In the window, and in others that speak for it, such as a comparison of its plans."""
        self._window.say(level, text, detail)
        self.said.emit(level, text)

    def _try(self, run: Any) -> None:
        try:
            run()
        except StageboardError as error:
            self._say("error", str(error))

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        self._window.update_actions()
        draft = self.draft
        for text, step in (("Move the Keyframe Up\tAlt+Up", -1), ("Move the Keyframe Down\tAlt+Down", 1)):
            to = draft.current + step
            action = menu.addAction(text, partial(draft.move, draft.current, to))
            action.setEnabled(draft.frame is not None and 0 <= to < len(draft.frames))
        menu.addSeparator()
        for id in IN_MENU:
            if id:
                menu.addAction(self._window.actions_set[id])
            else:
                menu.addSeparator()

    # ------------------------------------------------------------------ state
    @property
    def exporting(self) -> bool:
        """Whether a story is being written."""
        return self.exports.busy

    @property
    def unsaved(self) -> bool:
        """Whether closing would lose something."""
        return bool(self.draft.frames) and self.draft.modified

    @property
    def file(self) -> str:
        """The file of the story, which the next start opens again; empty where it is in none."""
        path = self.draft.path if self.draft.frames else None
        return "" if path is None else str(path.absolute())

    # ------------------------------------------------------------------ making
    def capture_keyframe(self) -> None:
        """What is on screen becomes a keyframe."""
        self.recorder.capture()
        if not self.panel.isVisible() or self.draft.put_where:
            self._window.notice.show_message(
                "info", self.captured(), action="Show the story", run=self.show_story
            )

    def captured(self) -> str:
        """What is said of the keyframe that was captured last."""
        draft = self.draft
        assert draft.frame is not None
        keyframe = draft.frame.keyframe
        where = f"{draft.current + 1} of {len(draft.frames)}{draft.put_where and f', {draft.put_where}'}"
        return f"Captured “{keyframe.title}” ({view_title(keyframe)}) as keyframe {where}."

    def retake_keyframe(self) -> None:
        """The chosen keyframe shows what is on screen now; what it said by itself is told anew."""
        before = self.draft.frame
        self.recorder.retake()
        if not self.panel.isVisible():
            after, text = self.draft.frame, f"Captured keyframe {self.draft.current + 1} again"
            told = before is None or after is None or before.keyframe.caption != after.keyframe.caption
            text += "; its words are told anew." if told else "; its words stayed."
            self._window.notice.show_message("info", text, action="Show the story", run=self.show_story)

    def toggle_recording(self) -> None:
        """Record what one does, or stop it."""
        if self.recorder.recording:
            self.recorder.stop()
        else:
            self.recorder.start()
            self._window.docks.reveal("story")  # the keyboard stays where the work is

    def replay_search(self) -> None:
        """Run the search of the plan chosen in the list again, beside the window; its plans become keyframes.

        Raises :class:`StageboardError` where nothing says how the plan was found, and while another search is run again.
        """
        window, source = self._window, self._shots.shown().source
        entry = window.plans.current() or window.document.active
        if self._searching.busy:
            raise StageboardError("a search is being run again already; wait for it")
        if entry is None or entry.provenance is None:
            raise StageboardError(
                "nothing says how this plan was found; choose one in the plan list that a planner of this session found"
            )
        plan = window.document.problem.plan(entry.device_of.copy(), entry.provenance, entry.name)
        self._searching.begin(plan, tuple(window.document.bounds), source)
        window.say("info", f"Running the search for “{entry.shown_name}” again …")

    def _searched(self, frames: list[Frame]) -> None:
        self.draft.add_all(frames, "Keyframes from a search")
        self.show_story()
        self._say("info", f"The search became {plural(len(frames), 'keyframe')}.")

    def show_story(self) -> None:
        """The panel, and its window where another one is in front."""
        if not self._parent.isVisible():
            reveal(cast(EditorWindow, self._parent))
        self._window.focus_panel("story")

    def show_keyframe(self, index: int) -> None:
        """What a keyframe shows: a certificate as it was captured, else its plan or comparison in this window."""
        frame = self.draft.frames[index]
        if frame.keyframe.view != "certificate":
            self._show_on_canvas(index)
        else:
            certificates.show_captured(frame.shown, self._window, self._parent)

    def _show_on_canvas(self, index: int) -> None:
        resolved = self.draft.resolved()
        numbers = resolved.device_numbers.get(resolved.story.keyframes[index].plan, ())
        self.revisiting.show(self.draft.frames[index], numbers)

    def new_story(self) -> None:
        """Begin another."""
        if self._may_replace(self._begin):
            self._begin()

    def _begin(self) -> None:
        self.recorder.stop()
        self.draft.clear()

    def _may_replace(self, go_on: Any) -> bool:
        lost = [Unsaved("the story", self.save_story)] if self.unsaved else []
        return self._window.closing.may_replace(go_on, lost)

    # ------------------------------------------------------------------ files
    def open_story(self) -> None:
        """Ask for a story and open it."""
        name, _ = QFileDialog.getOpenFileName(self._parent, "Open a story", self._folder, STORIES)
        if name:
            self.open_file(Path(name))

    def open_shipped(self, name: str) -> None:
        """Open a story that Stageboard brings along."""
        self.open_file(SHIPPED / f"{name}{SUFFIX}")

    def open_file(self, path: Path) -> None:
        """Read a story and its models beside the window, then take it on."""
        if not self._may_replace(lambda: self._open_now(path)):
            return
        self._open_now(path)

    def reopen(self, path: Path) -> None:
        """Read the story that was open the last time; panels and keyboard stay where they are."""
        self._open_now(path, shown=False)

    def _open_now(self, path: Path, *, shown: bool = True) -> None:
        from planner.story.files.json import read_story
        from planner.story.files.plans import resolve
        from planner.story.proving import story_with_known

        if not _is_shipped(path):
            self._folder = str(path.parent)

        def read() -> tuple[Resolved, list[ModelSource]]:
            story = read_story(path)
            resolved = story_with_known(resolve(story, path.parent))
            return resolved, sources_of(story.models, resolved, path.parent)

        def install(read: tuple[Resolved, list[ModelSource]]) -> None:
            resolved, sources = read
            self.recorder.stop()
            self.draft.open(resolved, path, sources)
            for note in resolved.notes[:1]:
                self._say("warning", note)
            if self._window.document.problem is None and isinstance(resolved.plans[0], Plan):
                self._show_on_canvas(0)
            if shown:
                self.show_story()

        self.loading.start(f"Reading {path.name} …", read, install)

    def recover(self, lost: LostStory, resolved: Resolved, sources: list[ModelSource]) -> None:
        """Take on the story that a crash left behind; what lay there is deleted once it is kept anew."""
        self.draft.recover(resolved, lost.saved, sources)
        if self.autosave is None:
            remove(lost.path)
        else:
            self.autosave.former = lost.path
            self.autosave.write()
        if self._window.document.problem is None and isinstance(resolved.plans[0], Plan):
            self._show_on_canvas(0)
        self.show_story()
        self._say("info", "The story is recovered; it is not saved yet.")

    def save_story(self) -> bool:
        """To its file; ask for one where there is none, or where it is one that Stageboard brings along. Returns whether it is saved."""
        path = self.draft.path
        if path is None or _is_shipped(path):
            return self.save_story_as()
        return self._save(path)

    def save_story_as(self) -> bool:
        """Ask for a file. Returns whether the story is saved."""
        start = str(Path(self._folder) / f"{self._stem()}{SUFFIX}")
        name, _ = QFileDialog.getSaveFileName(self._parent, "Save the story", start, STORIES)
        if not name:
            return False
        path = Path(name)
        self._folder = str(path.parent)
        return self._save(path if path.name.endswith(".json") else path.with_name(path.name + SUFFIX))

    def _stem(self) -> str:
        if self.draft.path is not None:
            return self.draft.path.name.removesuffix(".json").removesuffix(".story")
        return (
            "".join(c if c.isalnum() or c in "._- " else "_" for c in self.draft.state.title).strip()
            or "story"
        )

    def _save(self, path: Path) -> bool:
        try:
            copied = self.draft.save(path)
        except StageboardError as error:
            self._say("error", str(error))
            return False
        beside = f"; {' and '.join(copied)} was copied beside it, so that it opens anywhere" if copied else ""
        self._say("info", f"The story was saved as {path.name}{beside}.")
        return True

    # ------------------------------------------------------------------ presenting
    def present_story(self, notes: bool = False) -> None:
        """From the first keyframe; ``notes``: with the speaker's window. Raises :class:`StageboardError` where there is none."""
        if not self.draft.frames:
            raise StageboardError(
                "F5 presents a story, and there is none yet; capture a keyframe (Ctrl+Shift+K), or open one from the Story menu"
            )
        self._present(0, notes)

    def present_from_here(self) -> None:
        """From the chosen keyframe."""
        self._present(max(0, self.draft.current))

    def _present(self, at: int, notes: bool = False) -> None:
        from gui.present.launch import present

        self.recorder.stop()
        self._presenter = present(self._parent, self._told(), at=at, notes=notes)
        self._presenter.closed.connect(self._presented)

    def _told(self) -> Resolved:
        """The story with what this window has proven of what its file claims."""
        from planner.story.proving import told_with

        resolved, document = self.draft.resolved(), self._window.document
        return (
            resolved if document.problem is None else told_with(resolved, document.problem, document.bounds)
        )

    def _proven(self) -> None:
        """What this window proves while its story is presented is told there, too."""
        document = self._window.document
        if self._presenter is not None and document.problem is not None:
            self._presenter.proving.learn(document.problem, document.bounds)

    def _presented(self) -> None:
        """The presenter is closed and about to be deleted."""
        self._presenter = None

    # ------------------------------------------------------------------ exporting
    def export_story(self) -> None:
        """Ask for a file; what it is called says what it becomes."""
        start = str(Path(self._folder) / f"{self._stem()}.pdf")
        name, chosen = QFileDialog.getSaveFileName(
            self._parent, "Export the story", start, ";;".join(EXPORTS)
        )
        if name:
            path = Path(name)
            self._folder = str(path.parent)
            self.export_to(path if path.suffix.lower() in EXPORTS.values() else Path(name + EXPORTS[chosen]))

    def export_to(self, path: Path) -> None:
        """Write the story beside the window, after what is being written. Raises :class:`StageboardError` for a place that cannot be."""
        self.exports.add(self.draft, path, self._told().story)

    def cancel_story_export(self) -> None:
        """Stop; nothing is left of it."""
        self.exports.cancel()

    # ------------------------------------------------------------------ the plan itself
    def show_certificate(self) -> None:
        """Of the plan on the canvas."""
        source = self._shots.shown().source
        certificates.show_current(self._window, self._parent, source, self.recorder, self.captured)

    # ------------------------------------------------------------------ the end
    def set_theme(self, theme: Theme) -> None:
        """Other colours."""
        self.panel.set_theme(theme)

    def keep(self) -> None:
        """The window goes: what it was not asked to save stays for the next start."""
        if self.autosave is not None:
            self.autosave.close(keep=not self._window.closed)

    def close(self) -> None:
        """Nothing of it outlives the window."""
        self.recorder.stop()
        self.keep()
        self._searching.stop()
        self.loading.drop()
        self.exports.drop()
        if self._presenter is not None:
            self._presenter.close()
