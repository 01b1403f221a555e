"""Every menu entry, shortcut and palette command of the compare window, as data of the same kind as the main window's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gui.editors.comparison.state import MOST
from gui.shell.action import ActionSpec, needs
from gui.shell.common_actions import (
    FILE_ACTIONS,
    HELP_ACTIONS,
    LOOK_ACTIONS,
    UNDO_ACTIONS,
    back_action,
    panel_action,
    zoom_actions,
)
from gui.tools.story.actions import STORY_ACTIONS

if TYPE_CHECKING:
    from gui.editors.comparison.body import CompareBody

COMPARE_MENUS = ("File", "Edit", "View", "Compare", "Story", "Help")
STORY = (
    "story.panel", "story.present", "story.present_here", "story.present_notes", "story.save", "story.save_as", "story.export", "story.export.cancel",
)  # fmt: skip
"""What is done with the story as in the window whose plans are compared."""


@needs("no plans are compared")
def is_compared(window: CompareBody) -> bool:
    """Whether plans are compared."""
    return window.state.comparison is not None


@needs(f"no more than {MOST} plans can be compared")
def has_room(window: CompareBody) -> bool:
    """Whether one more plan can be compared."""
    return window.state.document.problem is not None and len(window.state.sources) < MOST


@needs("there is no third plan to compare with", is_compared)
def has_several(window: CompareBody) -> bool:
    """Whether there is a third plan."""
    return len(window.state.plans) > 2


@needs("select ops first", is_compared)
def has_selection(window: CompareBody) -> bool:
    """Whether ops are selected."""
    return len(window.state.selection) > 0


@needs("the two plans do not differ", is_compared)
def has_differences(window: CompareBody) -> bool:
    """Whether the two plans that lists are about differ."""
    return len(window.moved_ops()) > 0


@needs("no window with a story belongs to this comparison")
def has_studio(window: CompareBody) -> bool:
    """Whether there is a story that keyframes may go into."""
    return window.studio is not None


can_tell = is_compared.behind(has_studio)
"""Whether what is compared can become a keyframe."""


@needs("nothing was walked to or zoomed to yet", is_compared)
def can_look_back(window: CompareBody) -> bool:
    """Whether something else was in sight before."""
    return any(pane.earlier is not None for pane in window.columns.panes)


def _of_story(spec: ActionSpec[Any]) -> ActionSpec[Any]:
    """An action of the story, only where there is one."""

    return replace(
        spec,
        when=spec.when.behind(has_studio),
        run=lambda window: None if window.studio is None else spec.run(window),
    )


COMPARE_ACTIONS: tuple[ActionSpec[Any], ...] = (
    # ------------------------------------------------------------------ file
    ActionSpec("file.open", "Open Model…", "File", lambda w: w.open_beside(), ("Ctrl+O",), "open models in the window of the plans that are compared"),
    ActionSpec("file.open_plan", "Add Plan Files…", "File", lambda w: w.files.add_files(), ("Ctrl+Shift+O",), "compare saved plans of this model, too", has_room),
    ActionSpec("file.export.picture", "Picture (PNG, SVG, PDF)…", "File", lambda w: w.files.export_picture(), ("Ctrl+E",), "export the comparison as one picture for a document", is_compared, group=2, submenu="Export"),
    *FILE_ACTIONS,
    # ------------------------------------------------------------------ edit
    *UNDO_ACTIONS,
    ActionSpec("edit.take", "Take the Selected Ops Over", "Edit", lambda w: w.take_selection(), ("T",), "the reference gets the selected ops where the other plan has them", has_selection, group=1),
    ActionSpec("edit.take_device", "Take a Device's Ops Over…", "Edit", lambda w: w.take_device(), ("Shift+T",), "the reference gets all ops of one device of the other plan", is_compared, group=1),
    ActionSpec("edit.select_all", "Select All That Differ", "Edit", lambda w: w.state.select(w.moved_ops()), ("Ctrl+A",), "select the ops that the two plans have on different devices", is_compared, group=2),
    ActionSpec("edit.select_none", "Select None", "Edit", lambda w: w.state.select([]), ("Ctrl+Shift+A",), "select nothing", has_selection, group=2),
    ActionSpec("edit.find", "Find…", "Edit", lambda w: w.show_find(), ("Ctrl+F",), "select ops by name, kind, shape or path in all plans", is_compared, group=3),
    # ------------------------------------------------------------------ view
    ActionSpec("view.flow", "Flow", "View", lambda w: w.state.set_view("flow"), ("F",), "the graph as it flows", is_compared, state=lambda w: w.state.view == "flow"),
    ActionSpec("view.lanes", "Lanes", "View", lambda w: w.state.set_view("lanes"), ("L",), "one lane for each device, matched devices in the same place", is_compared, state=lambda w: w.state.view == "lanes"),
    ActionSpec("view.side", "Side by Side", "View", lambda w: w.show_mode("side"), ("S",), "a canvas for each plan", is_compared, group=2, state=lambda w: w.columns.mode == "side"),
    ActionSpec("view.over", "Overlaid", "View", lambda w: w.show_mode("over"), ("O",), "two plans on one canvas", is_compared, group=2, state=lambda w: w.columns.mode == "over"),
    ActionSpec("view.blink", "Blink", "View", lambda w: w.blink(), ("B",), "change between the two plans on one canvas; hold the key to look only for a moment", is_compared, group=2),
    ActionSpec("view.calm", "Fade What Stays", "View", lambda w: w.columns.set_calm(not w.columns.calm), ("D",), "let the ops that moved stand out", is_compared, group=2, state=lambda w: w.columns.calm),
    *zoom_actions(lambda w: w.linking.fit(), lambda w, factor: w.zoom_by(factor), is_compared),
    ActionSpec("view.zoom_selection", "Zoom to Selection", "View", lambda w: w.linking.zoom_to_ops(w.state.selection), ("Z",), "the selected ops as large as fits", has_selection, group=1),
    ActionSpec("view.zoom_moved", "Zoom to the Differences", "View", lambda w: w.linking.zoom_to_ops(w.moved_ops()), ("Shift+Z",), "all that moved as large as fits", has_differences, group=1),
    back_action(lambda w: w.linking.look_back(), can_look_back),
    ActionSpec("view.next_pane", "Next Pane", "View", lambda w: w.columns.focus_next(1), ("F6",), "give the next plan's canvas the keyboard", is_compared, group=4, submenu="Go To"),
    ActionSpec("view.previous_pane", "Previous Pane", "View", lambda w: w.columns.focus_next(-1), ("Shift+F6",), "give the canvas before it the keyboard", is_compared, group=4, submenu="Go To"),
    panel_action("view.focus_moved", "Go to the Moved Ops", "moved", ("Ctrl+1",), "give the list of moved ops the keyboard"),
    panel_action("view.focus_devices", "Go to the Devices", "devices", ("Ctrl+2",), "what each device has and pays more or less"),
    panel_action("view.focus_flows", "Go to the Flows", "flows", ("Ctrl+3",), "from which device to which ops go"),
    panel_action("view.focus_schedules", "Go to the Schedules", "schedules", ("Ctrl+4",), "the schedule of each plan on one time axis"),
    panel_action("view.focus_figures", "Go to the Figures", "figures", ("Ctrl+5",), "objective, bound and gap of each plan"),
    *LOOK_ACTIONS,
    # ------------------------------------------------------------------ compare
    ActionSpec("compare.next", "Next Difference", "Compare", lambda w: w.step(1), ("N",), "select the next ops that moved together, and show them in every plan", has_differences),
    ActionSpec("compare.previous", "Previous Difference", "Compare", lambda w: w.step(-1), ("Shift+N",), "select those before them", has_differences),
    ActionSpec("compare.next_op", "Next Moved Op", "Compare", lambda w: w.step_op(1), ("Alt+N",), "select the next single op that moved", has_differences),
    ActionSpec("compare.previous_op", "Previous Moved Op", "Compare", lambda w: w.step_op(-1), ("Alt+Shift+N",), "select the single op before it", has_differences),
    ActionSpec("compare.reference", "Make This Plan the Reference", "Compare", lambda w: w.make_reference(), ("A",), "compare the others with the plan whose canvas has the keyboard", is_compared, group=1),
    ActionSpec("compare.pair", "Compare the Next Plan", "Compare", lambda w: w.next_pair(), ("C",), "let lists speak of the next plan against the reference", has_several, group=1),
    ActionSpec("plan.apply", "Put This Plan on the Main Canvas", "Compare", lambda w: w.apply_plan(), ("Ctrl+Shift+Return",), "the plan whose canvas has the keyboard takes the place of the one under edit: one undo step", is_compared, group=1),
    # ------------------------------------------------------------------ story
    ActionSpec("story.capture", "Capture a Keyframe", "Story", lambda w: w.capture(), ("Ctrl+Shift+K",), "the canvases as they are become a keyframe of the story; the flows or the schedules while they have the keyboard", can_tell),
    ActionSpec("story.capture.flows", "Capture the Flows", "Story", lambda w: w.capture("sankey"), (), "a keyframe of the story shows what goes from device to device", can_tell),
    ActionSpec("story.capture.schedules", "Capture the Schedules", "Story", lambda w: w.capture("schedules"), (), "a keyframe of the story shows the schedules of the plans on one time axis", can_tell),
    *(_of_story(spec) for spec in STORY_ACTIONS if spec.id in STORY),
    # ------------------------------------------------------------------ help
    *HELP_ACTIONS,
)  # fmt: skip

COMPARE_ELSEWHERE = (
    ("Canvases", (
        ("Arrows", "walk along edges and columns in every plan; with Shift add to the selection"),
        ("Drag an op to another canvas", "take it, and what else is selected, over into that plan"),
        ("Drag on the ground", "select with a rubber band; Shift adds"),
        ("Space or middle button, drag", "move the pictures"), ("Wheel, + and -", "zoom"),
        ("Double click", "unfold a group, zoom to an op, or fit"), ("Tab, Shift+Tab", "to the next part of the window"),
        ("Esc", "cancel a drag, then select nothing"),
    )),
    ("Lists", (("Return", "show what is chosen on the canvases"), ("Up, Down", "walk"),)),
)  # fmt: skip
