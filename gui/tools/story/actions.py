"""What can be done with a story, as data of the same kind as all actions; every window whose document is planned has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gui.shell.action import ActionSpec, Place, needs

if TYPE_CHECKING:
    from gui.tools.story.studio import Studio

MENU = "Story"

SHIPPED = (
    ("pipeline", "Pipeline: two networks, and the proof of a plan"), ("device-placement", "Device placement: the price of contiguity"),
    ("edge-tpu", "Edge TPUs: a network in small memories"), ("package", "Multi-chip module: BERT-large on a package"), ("sparse", "Sparse network: the same sums, fewer I/Os"),
)  # fmt: skip
"""The stories of ``assets/stories`` by file name, and what menu and start page say that they are about."""


class StoryWindow(Protocol):
    """A window with a story."""

    document: Any
    studio: Studio


@needs("open a model first")
def is_open(window: StoryWindow) -> bool:
    """Whether a model is open."""
    return window.document.problem is not None


@needs("the story has no keyframe yet: capture one first")
def has_story(window: StoryWindow) -> bool:
    """Whether the story has a keyframe."""
    return bool(window.studio.draft.frames)


@needs("open a model first")
def can_record(window: StoryWindow) -> bool:
    """Whether there is something to record, or something is."""
    return window.document.problem is not None or window.studio.recorder.recording


@needs("no story is being exported")
def is_exporting_story(window: StoryWindow) -> bool:
    """Whether a story is being written."""
    return window.studio.exporting


def _shipped(name: str, title: str) -> ActionSpec[StoryWindow]:
    return ActionSpec(
        f"story.shipped.{name}", title, MENU, lambda w: w.studio.open_shipped(name), (),
        "open this story of those that come with Stageboard", group=2, submenu="Stories That Come with Stageboard",
    )  # fmt: skip


STORY_ACTIONS: tuple[ActionSpec[StoryWindow], ...] = (
    ActionSpec("story.capture", "Capture a Keyframe", MENU, lambda w: w.studio.capture_keyframe(), ("Ctrl+Shift+K",), "what is on screen now becomes a keyframe of the story", is_open),
    ActionSpec("story.retake", "Capture the Chosen Keyframe Again", MENU, lambda w: w.studio.retake_keyframe(), (), "the chosen keyframe shows what is on screen now; words that nobody wrote are told anew", has_story),
    ActionSpec("story.record", "Record What I Do", MENU, lambda w: w.studio.toggle_recording(), ("Ctrl+Alt+R",), "whenever the canvas comes to rest after a change, it is a keyframe", can_record, state=lambda w: w.studio.recorder.recording),
    ActionSpec("story.replay", "Keyframes from the Plan's Search", MENU, lambda w: w.studio.replay_search(), (), "run the planner of the chosen plan again from its provenance; the better and better plans it found become keyframes", is_open),
    ActionSpec("story.panel", "Show the Story", MENU, lambda w: w.studio.show_story(), ("Ctrl+Alt+K",), "the keyframes with their words", group=1),
    ActionSpec("story.present", "Present", MENU, lambda w: w.studio.present_story(), ("F5",), "the story on the whole screen, from the first keyframe", is_open, group=1),
    ActionSpec("story.present_here", "Present from the Chosen Keyframe", MENU, lambda w: w.studio.present_from_here(), ("Shift+F5",), "the story on the whole screen, from the chosen keyframe", has_story, group=1),
    ActionSpec("story.present_notes", "Present with Speaker's Window", MENU, lambda w: w.studio.present_story(notes=True), ("Alt+F5",), "the story, and beside it or on the other screen this slide, the next, notes and time", is_open, group=1),
    *(_shipped(name, title) for name, title in SHIPPED),
    ActionSpec("story.new", "New Story", MENU, lambda w: w.studio.new_story(), (), "begin another story; the open one is asked about if it is not saved", has_story, group=2),
    ActionSpec("story.open", "Open Story…", MENU, lambda w: w.studio.open_story(), (), "open a saved story with its models and plans", group=2),
    ActionSpec("story.save", "Save Story", MENU, lambda w: w.studio.save_story(), ("Ctrl+Alt+S",), "write the story to its file", has_story, group=2),
    ActionSpec("story.save_as", "Save Story As…", MENU, lambda w: w.studio.save_story_as(), (), "write the story to another file", has_story, group=2),
    ActionSpec("story.export", "Export Story…", MENU, lambda w: w.studio.export_story(), ("Ctrl+Alt+E",), "slides (PDF, PowerPoint, SVG), one HTML file, a film (MP4) or an animated picture (GIF)", has_story, group=2),
    ActionSpec("story.export.cancel", "Cancel the Export of the Story", MENU, lambda w: w.studio.cancel_story_export(), (), "stop writing it; nothing is left of it", is_exporting_story, group=2),
    ActionSpec("story.certificate", "Certificate of the Plan…", MENU, lambda w: w.studio.show_certificate(), ("Ctrl+Shift+I",), "cost, bound, how it was proven, rules and versions of the plan on the canvas", is_open, group=3, also=Place("File", 2, "Export")),
)  # fmt: skip
