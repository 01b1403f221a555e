"""``stageboard demo``: the guided tour and the stories, in a window or headless."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.app.demo.report import Told
from gui.app.present import story_file
from gui.present.render import size as size_of
from planner.cli.command import DONE, Console, UsageError
from planner.errors import StageboardError
from planner.files import write_atomically
from planner.text_table import seconds_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from gui.app.tour.tour import Tour
    from gui.editors.plan.editor import MainWindow

WINDOW_SIZE = (1280, 800)
SETTLE_LIMIT = 20.0
"""Seconds after which a picture is taken though something still moves."""
SEARCH_LIMIT = 120.0
"""Seconds after which a planner of the tour is stopped."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``demo``."""
    parser.add_argument(
        "story",
        nargs="?",
        metavar="STORY",
        help="a story by name (see --list) or file; without it, the guided tour",
    )
    parser.add_argument(
        "models",
        nargs="*",
        metavar="MODEL",
        help="model files that stand in for the story's where those are not found",
    )
    parser.add_argument("--list", action="store_true", help="list the stories and leave")
    parser.add_argument(
        "--headless", action="store_true", help="no window: leave pictures, plans and a report in DIR"
    )
    parser.add_argument(
        "--out", default="out", metavar="DIR", help="where files are left without a window (default out)"
    )
    parser.add_argument(
        "--size", type=size_of, metavar="WxH", help="pixels of a story's pictures (default 1280x800)"
    )
    parser.add_argument("--theme", choices=("light", "dark"), help="colours of a story (default: its own)")
    parser.epilog = (
        "examples: stageboard demo --list\n"
        "          stageboard demo edge-tpu\n"
        "          stageboard demo --headless --out out\n\n"
        "Without a story, --headless takes the tour and plays all stories. In the tour, Space or Enter goes on and Escape"
        " ends it; in a story F1 lists the keys."
    )


def run(args: argparse.Namespace, console: Console) -> int:
    """List, play a story, or take the tour."""
    from gui.look.display import check_display, check_qt, offscreen

    if args.list:
        from gui.app.demo.stories import list_stories

        list_stories(console)
        return DONE
    if not args.headless or args.story is None:
        for option in ("size", "theme"):
            if getattr(args, option) is not None and not (option == "theme" and args.story is not None):
                raise UsageError(
                    f"--{option} is about the pictures of a story; give a story and --headless with it"
                )
    path = story_file(args.story) if args.story is not None else None
    check_qt()
    if args.headless:
        offscreen()
        return _headless(Path(args.out), console) if path is None else _play(path, args, console)
    check_display()
    if path is not None:
        from gui.present.launch import present_file

        return present_file(path, given=[Path(model) for model in args.models], theme=args.theme or "")
    from gui.app.app import open_window

    return open_window([], None, tour=True)


# ---------------------------------------------------------------------- headless
def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise StageboardError(f"{out} is not a folder; give --out the name of a folder")


def _play(path: Path, args: argparse.Namespace, console: Console) -> int:
    """One story into a folder."""
    from gui.app.demo.stories import SIZE, play
    from gui.look.display import application

    began = time.perf_counter()
    app = application()
    out = Path(args.out)
    _check_folder(out)
    given = [Path(model) for model in args.models]
    played = play(path, out, console, size=args.size or SIZE, theme=args.theme or "", given=given)
    app.processEvents()
    seconds = time.perf_counter() - began
    names = "\n".join(f"  {file}" for file in played.files)
    title = played.data["title"]
    console.result(
        {**played.data, "seconds": seconds},
        lambda: f"“{title}” took {seconds_text(seconds)} and left {len(played.files)} files:\n{names}",
    )
    return DONE


def _headless(out: Path, console: Console) -> int:
    """The tour, and all stories."""
    began = time.perf_counter()
    _check_folder(out)
    out.mkdir(parents=True, exist_ok=True)
    from gui.app.demo.report import write_report
    from gui.app.demo.stories import play, shipped

    with _window_without_traces() as (app, window):
        told, written = take(app, window, out, console)
        stories = [
            play(entry.path, out / "stories" / entry.name, console, name=entry.name) for entry in shipped()
        ]
    more = [(entry.data["title"], f"stories/{entry.data['name']}/report.html") for entry in stories]
    report = write_report(out / "report.html", told, more=more)
    written = [*written, report, *(file for story in stories for file in story.files)]
    seconds = time.perf_counter() - began
    data: dict[str, Any] = {
        "report": str(report),
        "files": [str(path) for path in written],
        "steps": [
            {
                "title": step.title,
                "objective_name": step.figures.name,
                "objective": step.figures.objective,
                "lower_bound": step.figures.bound,
                "gap": step.figures.gap,
                "valid": step.figures.valid,
            }
            for step in told
        ],
        "stories": [story.data for story in stories],
        "seconds": seconds,
    }
    names = "\n".join(f"  {path}" for path in written if path.parent == out)
    reports = "\n".join(f"  {story.data['report']}" for story in stories)
    console.result(
        data,
        lambda: (
            f"The tour and {len(stories)} stories took {seconds_text(seconds)} and left {len(written)} files:\n{names}\n"
            f"and, with their pictures and plans beside them,\n{reports}"
        ),
    )
    return DONE


@contextmanager
def _window_without_traces() -> Iterator[tuple[QApplication, MainWindow]]:
    """A window that neither reads nor changes the user's settings, and leaves no process behind."""
    from gui.editors.plan.windows import Parts, make_window
    from gui.look.display import application

    app = application()
    parts: Parts = make_window(app, theme="light", remember=False)
    parts.window.resize(*WINDOW_SIZE)
    parts.window.show()
    try:
        yield app, parts.window
    finally:
        parts.close()


def take(app: QApplication, window: MainWindow, out: Path, console: Console) -> tuple[list[Told], list[Path]]:
    """Take every step in ``window`` and its pictures; returns what to tell and the files written."""
    from gui.app.tour.tour import STEPS, Tour
    from gui.look.drawn import encoded

    tour = Tour(window.document, window.jobs, out)
    told: list[Told] = []
    files: list[Path] = []
    for number, step in enumerate(STEPS, 1):
        console.progress(f"tour {number}/{len(STEPS)}: {step.title}")
        window.themes.set_preference(step.theme)
        window.canvas.set_view(step.view)
        step.act(tour)
        until(app, lambda step=step: step.over(tour), SEARCH_LIMIT)  # type: ignore[misc]
        step.finish(tour)
        settle(app, window)
        name = f"{number:02d}-{step.key}.png"
        write_atomically(out / name, encoded(window.grab().toImage()))
        pictures = [(name, f"The window: {step.title.lower()}")]
        files.append(out / name)
        told.append(Told(step.title, step.text(tour), tour.figures, tuple(pictures)))
    files += _pictures(tour, out)
    files += tour.written
    return told, files


def _pictures(tour: Tour, out: Path) -> list[Path]:
    """Flow and lanes of the last plan, as they are exported, and the plan itself."""
    from gui.canvas.graph.picture.picture import draw_graph
    from gui.look.page import Page
    from gui.look.theme import THEMES
    from gui.words.machines import picture_title

    problem, device_of = tour.document.problem, tour.document.device_of.copy()
    assert problem is not None
    files = []
    for view, theme, suffix in (
        ("flow", "light", "png"),
        ("lanes", "light", "svg"),
        ("lanes", "dark", "pdf"),
    ):
        path = out / f"{problem.graph.name}-{view}.{suffix}"
        title = picture_title(problem)
        page = Page(theme=THEMES[theme])
        draw_graph(problem, device_of, page, view, title, tour.document.bounds).save(path)
        files.append(path)
    tour.save(f"{problem.graph.name}.plan.json")
    return files


def until(app: QApplication, over: Any, limit: float) -> None:
    """Let the window live until ``over()``. Raises :class:`StageboardError` after ``limit`` seconds."""
    deadline = time.monotonic() + limit
    while not over():
        if time.monotonic() > deadline:
            raise StageboardError(
                f"a planner of the tour did not end within {limit:.0f} s; try again on a less busy machine"
            )
        app.processEvents()
        time.sleep(0.005)
    app.processEvents()


def settle(app: QApplication, window: MainWindow) -> None:
    """Wait until layout, animations and pending repaints are done, and until panels show what is there now."""
    from gui.panels.base import Panel

    deadline = time.monotonic() + SETTLE_LIMIT
    quiet = 0
    while quiet < 5 and time.monotonic() < deadline:
        app.sendPostedEvents()
        app.processEvents()
        canvas = window.canvas
        moving = window.files.loading.busy or canvas.busy or canvas.animating
        # What would help most is found a while after the plan has come to rest.
        moving = moving or any(panel.waiting for panel in window.findChildren(Panel))
        quiet = 0 if moving else quiet + 1
        time.sleep(0.02)
