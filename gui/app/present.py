"""``stageboard present``: a story full screen, or written as slides, video, animation, web page or pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

from gui.present.render import size as size_of
from planner.cli.command import DONE, Console, UsageError
from planner.cli.proving import configure as configure_proving
from planner.errors import StageboardError
from planner.story.proving import SECONDS


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``present``."""
    parser.add_argument(
        "story", metavar="STORY", nargs="?",
        help="a story file, or the name of one that Stageboard brings along (see --list)",
    )  # fmt: skip
    parser.add_argument(
        "--list", action="store_true", help="list the stories that Stageboard brings along and leave"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE",
        help="write it as FILE instead of showing it: .pdf or .pptx (slides), .html (one page that plays by itself), .mp4, .gif, .svg (a"
        " folder of slides as drawings, called so without the ending), or a name without an ending (a folder of PNG pictures)",
    )  # fmt: skip
    parser.add_argument(
        "--model", action="append", default=[], metavar="FILE",
        help="a model file that stands in for one of the story's that is not found",
    )  # fmt: skip
    parser.add_argument(
        "--size", type=size_of, metavar="WxH", help="pixels (default: what is usual for the kind of file)"
    )
    parser.add_argument(
        "--fps", type=rate, metavar="N", help="frames per second of .mp4 (default 30) and .gif (12.5)"
    )
    parser.add_argument(
        "--theme", choices=("light", "dark"), help="colours (default: the story's own; .html: the reader's)"
    )
    parser.add_argument(
        "--reduced-motion", action="store_true", help="cut from keyframe to keyframe; nothing moves"
    )
    parser.add_argument(
        "--notes", action="store_true",
        help="open the speaker's window too: this slide, the next, notes and time; the story goes to the other screen where there is one",
    )  # fmt: skip
    configure_proving(parser, f"{SECONDS:g} for all plans of a story")
    parser.epilog = (
        "examples: stageboard present --list\n"
        "          stageboard present device-placement --notes\n"
        "          stageboard present talk.story.json -o talk.pdf\n\n"
        'MP4 needs ffmpeg: the system\'s, or what "pip install imageio-ffmpeg" brings. PPTX needs "pip install python-pptx".'
    )


def rate(text: str) -> float:
    """Frames per second."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1.0 <= value <= 60.0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of frames per second from 1 to 60")
    return value


def run(args: argparse.Namespace, console: Console) -> int:
    """Show the story, or write it."""
    from gui.look.display import check_display, check_qt, offscreen

    if args.list:
        from gui.app.demo.stories import list_stories

        list_stories(console)
        return DONE
    if args.story is None:
        raise UsageError("name a story: a file, or one of those that --list lists")
    path = story_file(args.story)
    check_qt()
    if args.output is None:
        for option in ("size", "fps"):
            if getattr(args, option) is not None:
                raise StageboardError(f"--{option} is about files; name one with -o, or leave it out")
        check_display()
        from gui.present.launch import present_file

        given = tuple(Path(model) for model in args.model)
        proving = SECONDS if args.prove is None else args.prove
        return present_file(
            path, given=given, theme=args.theme or "", reduced_motion=args.reduced_motion, notes=args.notes, proving=proving,
        )  # fmt: skip
    if args.notes:
        raise StageboardError("--notes is about the screen; leave out -o, or leave out --notes")
    offscreen()
    return _export(path, args, console)


def story_file(name: str) -> Path:
    """The story file that ``name`` is, or that Stageboard brings along under this name. Raises :class:`StageboardError`."""
    from planner.model.samples import STORIES

    path = Path(name)
    shipped = {file.name.removesuffix(".story.json"): file for file in sorted(STORIES.glob("*.story.json"))}
    # A folder that happens to have a story's name is not what is meant.
    if path.is_file() or (path.exists() and name not in shipped):
        return path
    if name in shipped:
        return shipped[name]
    names = f", or take one of {', '.join(shipped)}" if shipped else ""
    raise StageboardError(f"{name} does not exist; check the path{names}")


def _export(path: Path, args: argparse.Namespace, console: Console) -> int:
    from gui.look.display import application
    from gui.present.export.export import ExportOptions, check_place, export_story, fitted
    from planner.cli.searching import soft_interrupt
    from planner.export.stages.child import Cancelled
    from planner.search.stop import Cancel
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve
    from planner.story.proving import prove_story, unproven_words

    output = Path(args.output)
    options = ExportOptions(args.size, args.fps or 0.0, args.theme or "", args.reduced_motion)
    form = check_place(output)
    for note in fitted(form, options)[1]:
        console.note(note)
    given = tuple(Path(model) for model in args.model)
    resolved = resolve(read_story(path), path.parent, given)
    for note in resolved.notes:
        console.note(note)
    seconds = SECONDS if args.prove is None else args.prove
    with soft_interrupt(
        console, "stopping; what is not proven yet stays a claim (once more to stop at once)"
    ) as stopped:
        console.progress("proving what the story claims")
        resolved = prove_story(resolved, seconds, Cancel(stopped))
    unproven = unproven_words(resolved, seconds)
    app = application()
    words = f"writing {output.name}"

    def told(done: int, of: int) -> None:
        console.progress(f"{words}: {100 * done // max(of, 1)} %")

    # Between pictures, not within one: Qt does not bear a picture to vanish under its painter.
    with soft_interrupt(console, "") as stopped:
        try:
            written = export_story(resolved, output, options, told, stopped)
        except Cancelled:
            raise KeyboardInterrupt from None
    app.processEvents()
    data = {
        "file": str(written.path), "story": resolved.story.title, "format": form.suffix.removeprefix(".") or "png",
        "width": written.size[0], "height": written.size[1], "count": written.count, "fps": written.fps,
        "seconds": written.seconds, "bytes": written.bytes, "notes": list(written.notes),
    }  # fmt: skip
    console.result(data, lambda: written.sentence)
    if unproven:
        console.note(unproven)
    return DONE
