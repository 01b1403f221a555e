"""What can be done with a story, as data of the same kind as all actions; both kinds of windows have them."""

from __future__ import annotations

from gui.shell.action import ActionSpec

MENU = "Story"

SHIPPED = (
    ("pipeline", "How good is a pipeline, and how do you know?"), ("device-placement", "What does it cost to stay in a row?"),
    ("edge-tpu", "Fitting a network into small memories"), ("package", "A large network on a package of chips"), ("sparse", "The same sums in a better order"),
)  # fmt: skip
"""The stories of ``assets/stories`` by file name, and what the menu calls them."""


def _shipped() -> list[ActionSpec]:
    return [
        ActionSpec(
            f"story.shipped.{name}", title, MENU, "open_shipped", (), "open this story of those that come with Stageboard",
            group=2, submenu="Stories That Come with Stageboard", argument=name,
        )
        for name, title in SHIPPED
    ]  # fmt: skip


STORY_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("story.capture", "Capture a Keyframe", MENU, "capture_keyframe", ("Ctrl+Shift+K",), "what is on screen now becomes a keyframe of the story", "open"),
    ActionSpec("story.retake", "Capture the Chosen Keyframe Again", MENU, "retake_keyframe", (), "the chosen keyframe shows what is on screen now; its title and words stay", "story"),
    ActionSpec("story.record", "Record What I Do", MENU, "toggle_recording", ("Ctrl+Alt+R",), "whenever the canvas comes to rest after a change, it is a keyframe", "recordable", state="recording_on"),
    ActionSpec("story.replay", "Keyframes from the Plan's Search", MENU, "replay_search", (), "run the planner of the chosen plan again from its provenance; the better and better plans it found become keyframes", "open"),
    ActionSpec("story.panel", "Show the Story", MENU, "show_story", ("Ctrl+Alt+K",), "the keyframes with their words", group=1),
    ActionSpec("story.present", "Present", MENU, "present_story", ("F5",), "the story on the whole screen, from the first keyframe", "story", group=1),
    ActionSpec("story.present_here", "Present from the Chosen Keyframe", MENU, "present_from_here", ("Shift+F5",), "the story on the whole screen, from the chosen keyframe", "story", group=1),
    *_shipped(),
    ActionSpec("story.new", "New Story", MENU, "new_story", (), "begin another story; the open one is asked about if it is not saved", "story", group=2),
    ActionSpec("story.open", "Open Story…", MENU, "open_story", (), "open a saved story with its models and plans", group=2),
    ActionSpec("story.save", "Save Story", MENU, "save_story", ("Ctrl+Alt+S",), "write the story to its file", "story", group=2),
    ActionSpec("story.save_as", "Save Story As…", MENU, "save_story_as", (), "write the story to another file", "story", group=2),
    ActionSpec("story.export", "Export Story…", MENU, "export_story", ("Ctrl+Alt+E",), "PDF slides, one HTML file, a film (MP4) or an animated picture (GIF)", "story", group=2),
    ActionSpec("story.export.cancel", "Cancel the Export of the Story", MENU, "cancel_story_export", (), "stop writing it; nothing is left of it", "exporting_story", group=2),
    ActionSpec("story.certificate", "Certificate of the Plan…", MENU, "show_certificate", ("Ctrl+Shift+I",), "cost, bound, how it was proven, rules and versions of the plan on the canvas", "open", group=3),
)  # fmt: skip

STORY_CONDITIONS = ("story", "recordable", "exporting_story")
