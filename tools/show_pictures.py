"""The pictures of comparing, racing and presenting for :mod:`tools.make_pictures`."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage

from gui.app.demo.demo import settle, until
from planner.model.samples import sample

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from gui.editors.comparison.editor import CompareWindow
    from gui.editors.plan.windows import Parts

PRESENTED = (1280, 800)
"""Logical pixels of the compare window and of keyframes."""
LIMIT = 120.0
SHOWN = 5
"""The keyframe of the story on device placement that its pictures show."""
MOST_BYTES = 250_000
"""A picture beyond gets a palette of 256 colours."""
STORIES = (
    ("story-light.png", "device-placement", "light", SHOWN, 1.0),
    ("story-dark.png", "device-placement", "dark", SHOWN, 1.0),
    ("story-package.png", "package", "dark", 4, 1.0),
    ("story-moving.png", "pipeline", "light", 3, 0.45),
    ("story-network.png", "sparse", "light", 6, 1.0),
    ("certificate.png", "device-placement", "light", -1, 1.0),
)
"""Pictures of stories: the file, the story, the theme, the keyframe, and the share of the way to it."""
NOTES = (
    "Each sample goes through the devices once: ask who expects the schedule to have gaps.\n\nThe picture begins in the steady"
    " state; accelerator 1 is busy all the time, so nothing is left to gain in a row."
)
PACKAGE = "mcm:36,sram=40MiB,precision=int8,copy_sources=8"
RACES = (
    ("race-light.png", "light", ("denoiser.onnx",), "pipeline:8", 0.05, 45.0),
    ("race-dark.png", "dark", ("bert_large.json",), PACKAGE, 0.05, 20.0),
)
"""Pictures of races: the file, the theme, the models, the target, the gap and the seconds at which the race ends."""


def save_small(image: QImage, file: Path) -> None:
    """Write a picture so that it is small: as it is where that does, else with the 256 colours that suit it."""
    from PIL import Image

    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.convertToFormat(QImage.Format.Format_RGB888).save(buffer, "PPM")  # type: ignore[call-overload]
    picture = Image.open(BytesIO(buffer.data().data()))
    picture.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        # Median cut suits the shades of what is large, maximum coverage the colours of what is small.
        colours: list[int] = []
        for method, count in ((Image.Quantize.MEDIANCUT, 96), (Image.Quantize.MAXCOVERAGE, 160)):
            found = picture.quantize(count, method, dither=Image.Dither.NONE).getpalette()
            colours += (found or [])[: 3 * count]
        palette = Image.new("P", (1, 1))
        palette.putpalette(colours)
        picture.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
    print(file)


def shot(app: QApplication, window: QWidget, settled: Callable[[], bool], file: Path) -> None:
    """A picture of a window once nothing moves in it."""
    for _ in range(3):  # what has settled may set off something else
        until(app, settled, LIMIT)
        for _ in range(3):
            app.processEvents()
    save_small(window.grab().toImage(), file)


def compare_pictures(app: QApplication, parts: Parts, folder: Path) -> None:
    """The example, the best contiguous and the best free split of a small BERT, in the window that compares."""
    from gui.app.tour.tour import Tour
    from gui.editors.comparison.windows import close_all, open_plans
    from gui.shell.host import host_of, show_editor
    from planner.reports.comparison.example import example_files

    model, plans = example_files()
    size = parts.window.size()
    show_editor(parts.window)
    host = host_of(parts.window)
    assert host is not None
    Tour(parts.document, parts.jobs).open((model.name,), "pool:2+1")
    settle(app, parts.window)
    window = open_plans(parts.window, plans)
    try:
        host.showNormal()
        host.resize(*PRESENTED)
        app.processEvents()
        lists_beside(window)
        for theme in ("dark", "light"):
            parts.themes.set_preference(theme)
            shot(app, host, lambda: window.settled, folder / f"compare-{theme}.png")
        window.docks.arrange()
        window.columns.set_mode("over")
        window.focus_panel("flows")
        shot(app, window, lambda: window.settled, folder / "compare-overlay.png")
        window.columns.set_mode("side")
        window.state.set_view("lanes")
        window.focus_panel("schedules")
        shot(app, window, lambda: window.settled, folder / "compare-schedules.png")
    finally:
        window.close()
        close_all()
        host.let_go(parts.window)
        parts.window.resize(size)
        parts.window.show()
    told_picture(folder)
    order_picture(folder)


def told_picture(folder: Path) -> None:
    """The example as a keyframe of a story: both plans on one canvas."""
    from dataclasses import replace

    from gui.look.theme import LIGHT
    from gui.present.show import Show
    from planner.formats import read_models
    from planner.plan_files.plan_json import open_plan
    from planner.reports.comparison.example import example_files
    from planner.story.files.plans import resolve_with
    from planner.story.making import Told, story_of_plans
    from planner.story.subject import StoryModel

    model, plans = example_files()
    graph = read_models([model])
    opened = [open_plan(plan, graph) for plan in plans]
    about = StoryModel((f"sample:{model.name}",), graph.fingerprint)
    told = [Told(one.plan, one.bounds) for one in opened]
    story = story_of_plans(about, told, comparisons=("overlay",))
    both = next(replace(k, share=0.5) for k in story.keyframes if k.comparison)
    show = Show(resolve_with(replace(story, keyframes=(both,)), [graph]), LIGHT, PRESENTED)
    save_small(show.image(show.duration), folder / "compare-story.png")


def lists_beside(window: CompareWindow) -> None:
    """Flows below the canvases, moved ops and devices beside each other below those."""
    from gui.shell.docks import BOTTOM

    docks = window.docks.docks
    for id in ("figures", "schedules"):
        docks[id].hide()
    for id in ("flows", "moved", "devices"):
        window.removeDockWidget(docks[id])
        window.addDockWidget(BOTTOM, docks[id], Qt.Orientation.Horizontal)
        docks[id].show()
    window.resizeDocks([docks["flows"]], [300], Qt.Orientation.Vertical)
    window.resizeDocks(
        [docks[id] for id in ("flows", "moved", "devices")], [385, 410, 485], Qt.Orientation.Horizontal
    )


def race_pictures(app: QApplication, parts: Parts, folder: Path) -> None:
    """Races that are over, in the window: what was found, who proved what. Who was first depends on the machine."""
    from gui.app.tour.tour import Tour
    from gui.tools.search.race.course import Goal
    from gui.tools.search.race.racing import Settings
    from planner.runs.race import good_field

    window, document = parts.window, parts.document
    racing = window.race.racing
    tour = Tour(document, parts.jobs)
    for name, theme, models, target, gap, seconds in RACES:
        tour.open(models, target)
        parts.themes.set_preference(theme)
        window.canvas.set_view("lanes")
        settle(app, window)
        window.docks.reveal("race")
        problem = document.problem
        assert problem is not None
        racing.start(Settings(good_field(problem, cores=2, time_limit=seconds), Goal(gap, seconds, 2)))
        until(app, lambda: not racing.running and racing.settled, LIMIT)
        window.notice.dismiss()
        settle(app, window)
        save_small(window.grab().toImage(), folder / name)


def story_pictures(app: QApplication, parts: Parts, folder: Path) -> None:
    """Moments of the stories that come along, as they are presented, and the panel in which one is made."""
    from gui.app.tour.tour import Tour
    from gui.look.theme import THEMES
    from gui.present.show import Show
    from planner.model.samples import STORIES as SHIPPED
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    for name, story, theme, keyframe, share in STORIES:
        path = SHIPPED / f"{story}.story.json"
        show = Show(resolve(read_story(path), path.parent), THEMES[theme], PRESENTED)
        index = keyframe % show.count
        save_small(show.image(show.starts[index] + share * show.keyframes[index].transition), folder / name)
    speaker_picture(app, folder)
    window = parts.window
    parts.themes.set_preference("light")
    Tour(parts.document, parts.jobs).open(("bert_3.json",), "pool:2+1")
    settle(app, window)
    window.studio.open_file(SHIPPED / "device-placement.story.json")
    until(app, lambda: not window.studio.loading.busy, LIMIT)
    window.docks.reveal("story")
    panel = window.studio.panel
    panel.list.setCurrentIndex(panel.list.frames.index(SHOWN))
    panel.show_requested.emit(SHOWN)
    window.notice.dismiss()
    settle(app, window)
    save_small(window.grab().toImage(), folder / "story-panel.png")


def speaker_picture(app: QApplication, folder: Path) -> None:
    """The speaker's window at a keyframe with notes."""
    from dataclasses import replace

    from gui.present.window import PresenterWindow
    from planner.model.samples import STORIES as SHIPPED
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    path = SHIPPED / "device-placement.story.json"
    found = resolve(read_story(path), path.parent)
    frames = list(found.story.keyframes)
    frames[SHOWN - 1] = replace(frames[SHOWN - 1], notes=NOTES)
    story = replace(found.story, keyframes=tuple(frames))
    audience = PresenterWindow(replace(found, story=story), full_screen=False, at=SHOWN - 1)
    audience.resize(*PRESENTED)
    audience.course.skip()
    audience.elapsed = 265.0
    audience.toggle_speaker()
    assert audience.speaker is not None
    audience.resize(*PRESENTED)
    audience.speaker.resize(*PRESENTED)
    app.processEvents()
    audience.speaker.refresh()
    save_small(audience.speaker.grab().toImage(), folder / "speaker-light.png")
    audience.close()


def order_picture(folder: Path) -> None:
    """Two orders of one network, as ``stageboard compare`` draws them."""
    from gui.editors.comparison.orders.picture import draw_orders
    from gui.look.page import Page
    from planner.formats.networks.read import read_network
    from planner.machines.catalogue import planners
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.target import TwoLevelMemory
    from planner.reports.comparison import compare_orders
    from planner.search.run import plan_of, run

    problem = NetworkProblem(read_network(sample("mlp_100.npz")), TwoLevelMemory(60))
    plans = [plan_of(run(planners()[name], problem, seed=1)) for name in ("theorem-1", "locality")]
    file = folder / "compare-orders.png"
    draw_orders(compare_orders(plans), Page(PRESENTED)).save(file)
    save_small(QImage(str(file)), file)
