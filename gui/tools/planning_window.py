"""A window whose document is planned: planners, races, the plan list, the story, and how all of it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt

from gui.background.job import nothing_better_words
from gui.background.jobs import Jobs
from gui.background.proving import Proving
from gui.document.values import Message
from gui.look.numbers import listed
from gui.look.theme import Theme, ThemeController
from gui.panels.plans import PlansPanel
from gui.shell.closing import IS_LOST, Unsaved
from gui.shell.host import ends, host_of
from gui.shell.kinds import loaded_windows
from gui.shell.palette import Choice
from gui.shell.recent_menu import RecentMenu
from gui.shell.start_page import StartPage
from gui.shell.waiting import WaitingPage
from gui.shell.window import EditorWindow
from gui.tools.search.convergence import ConvergencePanel
from gui.tools.search.method_menus import MethodMenus
from gui.tools.search.planners import PlannersPanel
from gui.tools.search.race.panel import RacePanel
from gui.tools.search.running import RunningBadge
from gui.tools.story.studio import Studio
from gui.widgets.labels import capital
from gui.widgets.plain import plain
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.background.job import Job
    from gui.document.plan_list import PlanEntry
    from gui.shell.model_files import ModelFiles
    from gui.shell.session import Session


class PlanningWindow(EditorWindow):
    """The window of a graph or of a network. Editors set what is declared here before they call :meth:`equip`."""

    files: ModelFiles
    plans: PlansPanel
    studio: Studio
    proving: Proving
    found_better = "found a better plan: it waits in the plan list."
    """What is said of a proposal that waits."""

    def __init__(
        self, name: str, document: Any, jobs: Jobs, themes: ThemeController, session: Session | None
    ) -> None:
        super().__init__(name, themes, session)
        self.document, self.jobs = document, jobs
        self.start_page, self.waiting = StartPage(themes.theme), WaitingPage()
        self.planners = PlannersPanel(document, jobs, themes.theme)
        self.convergence = ConvergencePanel(document, jobs, themes.theme)
        self.race = RacePanel(document, jobs, themes.theme)
        self.race.setup.given = self.planners.given
        self.convergence.watch(self.race.racing)

    def connect_planning(self) -> None:
        """Let the window follow what runs, what is found and what is to be said. Called once all parts are there."""
        document, jobs, racing = self.document, self.jobs, self.race.racing
        self.method_menus = MethodMenus(self)
        self.start_page.open_requested.connect(self.files.open_model)
        self.start_page.files_chosen.connect(self.open_files)
        self.files.loading.busy_changed.connect(self._loading_changed)
        self.waiting.cancelled.connect(self.files.loading.cancel)
        self.running = RunningBadge(jobs, racing, self.cancel_planners, self.header)
        self.header.add_news(self.running)
        self.running.shown.connect(self.focus_panel)
        self.running.said.connect(self.say_doing)
        document.message.connect(self._show_message)
        document.modified_changed.connect(lambda *_: self.say_state())
        for signal in (
            document.problem_changed, document.selection_changed, document.plans_changed, document.undo_stack.indexChanged,
            jobs.jobs_changed, jobs.ended, racing.started, racing.ended,
        ):  # fmt: skip
            signal.connect(self.update_soon)
        document.problem_changed.connect(self.palette_window.problem_changed)
        jobs.ended.connect(self.job_ended)
        self.planners.plot_requested.connect(lambda: self.docks.reveal("convergence"))
        self.race.entry_shown.connect(self.plans.make_current)
        self.plans.list.selectionModel().currentChanged.connect(self.update_soon)
        draft = self.studio.draft
        draft.frames_changed.connect(self._remember_story)
        draft.modified_changed.connect(self._remember_story)
        memory = self.memory
        stories = RecentMenu(
            "Open Recent Story", lambda: [(path,) for path in memory.stories],
            lambda paths: self.studio.open_file(*paths), memory.forget_stories, self,
        )  # fmt: skip
        self.menus["Story"].insertMenu(self.actions_set["story.save"], stories)

    def _remember_story(self, *_: object) -> None:
        """A story that is in a file as it is goes to the top of those opened lately; the next start opens it again."""
        draft = self.studio.draft
        if draft.modified:
            return
        if draft.frames:
            self.memory.remember_story(draft.path)
        host = host_of(self)
        if host is not None:
            host.note_soon()

    def say_title(self) -> None:
        """What is open in the window's title; where nothing is, in the header, too."""
        document = self.document
        title = "Stageboard[*]" if document.problem is None else f"{document.title}[*] – Stageboard"
        self.setWindowTitle(plain(title))
        self.setWindowModified(document.modified)
        if document.problem is None:
            self.header.show_title("Stageboard", "")

    # ------------------------------------------------------------------ files
    def open_files(self, paths: Sequence[Path]) -> None:
        """Open files where they belong: here, or in tabs beside."""
        self.files.open_files(paths)

    def show_waiting(self) -> None:
        """Show the page that says what is being read."""
        raise NotImplementedError

    def show_content(self) -> None:
        """Show what is open, or where to begin."""
        raise NotImplementedError

    def _loading_changed(self) -> None:
        loading = self.files.loading
        self.document.set_opening(loading.text)
        if loading.busy:
            self.waiting.wait_for(loading.text, loading.seconds)
            self.show_waiting()
            self.setCursor(Qt.CursorShape.BusyCursor)
        else:
            self.unsetCursor()
            self.show_content()

    # ------------------------------------------------------------------ messages
    def _show_message(self, message: Message) -> None:
        self.say(message.level, message.text, message.detail)

    def job_ended(self, job: Job) -> None:
        """A proposal that waits in the list is worth a word, and so is a search that found nothing better, unless its panel is seen to say so; a plan that
        is on the canvas already is not."""
        if (told := nothing_better_words(job)) and not self.docks.in_front("planners"):
            self.notice.show_message("info", f"{job.title} {told}.")
            return
        entry, active = job.entry, self.document.active
        if entry is None or job.state == "failed" or entry is active or entry not in self.document.plans:
            return
        if entry.better_than(active):
            self.notice.show_message(
                "info", f"{job.title} {self.found_better}", action="Apply it",
                run=lambda: entry in self.document.plans and self.document.apply_plan(entry),
            )  # fmt: skip

    # ------------------------------------------------------------------ planners and plans
    @property
    def searching(self) -> bool:
        """Whether a planner, a race or an errand runs."""
        return bool(self.jobs.running) or self.race.racing.running or bool(self.running.errands)

    def start_planner(self) -> None:
        """Start what the planners panel has chosen."""
        self.planners.refresh_now()
        self.planners.start()

    def more_choices(self) -> list[Choice]:
        """Planners and bound methods in the palette."""
        return self.method_menus.choices()

    def cancel_planners(self) -> None:
        """Stop everything; the best plans found are kept."""
        self.running.cancel_errands()
        self.jobs.cancel_all()
        self.race.racing.stop()

    def apply_best_plan(self) -> None:
        """The best valid plan of the list. Raises :class:`StageboardError` where none is valid."""
        problem = self.document.problem
        best = None if problem is None else self.document.plan_list.best(problem)
        if best is None:
            raise StageboardError("no plan of the list keeps all rules; start a planner to find one")
        self.document.apply_plan(best)

    def tell_incomparable(self) -> None:
        """Say what to do where there are no plans to compare; nothing is wrong then."""
        alone = len(self.document.plans) < 2
        self.notice.show_message(
            "info", f"{capital(self.plans.incomparable())}.",
            action="Start a Planner" if alone else "Show Plans",
            run=self.start_planner if alone else lambda: self.docks.reveal("plans"),
            other="Open Plan…" if alone else "", run_other=self.actions_set["file.open_plan"].trigger,
        )  # fmt: skip

    # ------------------------------------------------------------------ what would be lost
    def unsaved_plan(self, found: Sequence[PlanEntry]) -> list[Unsaved]:
        """The plan on the canvas, where it is not saved, and plans of the list that are by hand and in no file; where there are none, those
        that planners ``found``."""
        active, lost = self.document.active, []
        if self.document.modified and active is not None:
            goes_to = "" if active.path is None else f" in {active.path.name}"
            lost.append(Unsaved(f"the plan “{active.shown_name}”{goes_to}", self.files.save_plan))
        others = [entry for entry in self.document.plans if entry is not active and entry.would_be_lost]
        if others and not self.document.history.for_show:
            more = "more " if lost else ""
            words = (
                f"the plan “{others[0].shown_name}”"
                if len(others) == 1
                else f"{len(others)} {more}plans edited by hand"
            )
            lost.append(Unsaved(words, lambda: all(map(self.files.save_entry, others))))
        if found and not lost and not self.document.history.for_show:
            one = f"the plan “{found[0].shown_name}”, which a planner found"
            words = one if len(found) == 1 else f"{len(found)} plans that planners found"
            lost.append(Unsaved(words, lambda: all(map(self.files.save_entry, found)), changes=False))
        return lost

    def unsaved(self) -> list[Unsaved]:
        """The plan, and the story."""
        story = [Unsaved("the story", self.studio.save_story)] if self.studio.unsaved else []
        kept = self._back_at_the_next_start()
        return [*self.unsaved_plan([entry for entry in self._found() if entry not in kept]), *story]

    def _found(self) -> list[PlanEntry]:
        """The plans that planners found, but for that on the canvas, which no file has, nor any start with the model."""
        active, plans = self.document.active, self.document.plans
        files = [entry.kept for entry in plans if entry.kept is not None]
        files += [entry.device_of for entry in plans if entry.origin == "start"]
        return [
            entry
            for entry in plans
            if entry.kept is None and entry.origin == "planner" and entry is not active
            and not any(np.array_equal(kept, entry.device_of) for kept in files)
        ]  # fmt: skip

    def _back_at_the_next_start(self) -> Sequence[PlanEntry]:
        """The plans that the next start has in its list, where the program ends with this window."""
        return left.entries if ends(self) and (left := self.left(True)) is not None else ()

    def fate(self) -> str:
        """What becomes of plans and story that are not saved, by name: what the next start has in Plans, where the program ends; what is lost
        unless it is saved; and what this question does not save."""
        return self._fate(self._back_at_the_next_start())

    def _fate(self, kept: Sequence[PlanEntry]) -> str:
        document, found = self.document, self._found()
        active = document.active if document.modified else None
        again = [entry for entry in kept if entry in found or entry is active or entry.origin == "carried"]
        by_hand = [entry for entry in document.plans if entry is not document.active and entry.would_be_lost]
        asked = [entry for entry in (active, *by_hand) if entry is not None]
        lost = [entry for entry in found if entry not in kept]
        if not asked:
            asked, lost = lost, []
        names = _quoted([entry for entry in asked if entry not in again])
        names += ["the story"] if self.studio.unsaved else []
        said = [IS_LOST] if len(names) == 1 else []
        if len(names) > 1:
            said.append(f"{IS_LOST.removesuffix('.')}: {listed(names)}.")
        if lost:
            said.append(f"Lost either way, unless saved from Plans before: {listed(_quoted(lost))}.")
        if again:
            said.append(f"Back in Plans at the next start, saved or not: {listed(_quoted(again))}.")
        return " ".join(said)

    def may_replace(self, go_on: Callable[[], None], beside: Callable[[], object] | None = None) -> bool:
        """Whether the open plan may be replaced at once; where it is not saved, or compared, a person is asked and the answer goes on, or
        opens ``beside`` it, in a new tab."""
        lost = self.unsaved_plan(self._found())
        # What planners made for machines that were looked at, nobody asked for; but who leaves is to know that it goes.
        others = [
            entry
            for entry in self.document.plans
            if entry.origin in ("start", "carried")
            and entry.kept is None
            and not entry.is_of(self.document.problem)
        ]
        fate = self._fate(())
        if others:
            fate += f" Plans for other machines go with the model, unless saved from Plans before: {listed(_quoted(others))}."
        return self.closing.may_replace(go_on, lost, self.goes_along(), beside, fate)

    def goes_along(self) -> str:
        """Comparisons of the plans have nothing to compare without them."""
        windows = loaded_windows("comparison")
        count = 0 if windows is None else len(windows.comparisons_of(self.document))
        return (
            ("", "the comparison of its plans")[count] if count < 2 else f"{count} comparisons of its plans"
        )

    def end(self) -> None:
        """End every process and thread."""
        self.studio.close()
        self.jobs.close()
        self.race.close_race()

    # ------------------------------------------------------------------ looks
    def apply_theme(self, theme: Theme) -> None:
        """Other colours."""
        super().apply_theme(theme)
        self.start_page.set_theme(theme)

    def set_reduced_motion(self, reduced: bool) -> None:
        """Whether nothing flashes or glides."""
        self.race.set_reduced_motion(reduced)
        super().set_reduced_motion(reduced)


def _quoted(entries: Sequence[PlanEntry]) -> list[str]:
    """The names of plans, as sentences have them."""
    return [f"“{entry.shown_name}”" for entry in entries]
