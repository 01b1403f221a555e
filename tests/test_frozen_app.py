"""The frozen app (``make app``): it starts in an empty folder without our sources, and does what an installation does.

Its processes are its own executable; nothing here may need a Python beside it.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from planner import __version__
from planner.compiling.store import FOLDER, chosen_folder

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "dist" / "stageboard" / "stageboard"
SHIPPED = APP.parent / "_internal" / "stageboard" / "shipped"
# What is compiled at first use, every command waits for once.
PATIENCE = 900.0

pytestmark = [
    pytest.mark.skipif(not APP.is_file(), reason="there is no frozen app in dist/; `make app` builds it"),
    pytest.mark.timeout(PATIENCE),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder with a link to the samples that the app itself carries."""
    (tmp_path / "sample_models").symlink_to(SHIPPED / "sample_models")
    return tmp_path


def environment(place: Path, **more: str) -> dict[str, str]:
    """What a person who has unpacked it has: no Python, a home of their own. Only compiled kernels are shared, for the time's sake."""
    return {
        "PATH": "/usr/bin:/bin", "HOME": str(place / "home"), "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
        FOLDER: str(chosen_folder()), **more,
    }  # fmt: skip


def stageboard(place: Path, *words: str, status: int = 0) -> str:
    """What a command prints."""
    done = subprocess.run(
        [str(APP), *words], cwd=place, env=environment(place), capture_output=True, text=True, timeout=PATIENCE, check=False
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def processes_of_the_app() -> dict[int, str]:
    """The state (one letter) of each process that runs the executable, by process id."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and Path(os.readlink(entry / "exe")) == APP:
                found[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
    return found


def until(true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not come to pass in time"
        time.sleep(0.1)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process of the app outlives what started it."""
    yield
    until(lambda: not processes_of_the_app(), 20.0)


# ---------------------------------------------------------------------- commands
def test_it_says_its_version_and_lists_its_stories(place: Path) -> None:
    assert stageboard(place, "--version") == f"stageboard {__version__}\n"
    assert "edge-tpu" in stageboard(place, "demo", "--list")
    assert os.listdir(place) == ["sample_models"]


def test_bad_input_is_one_sentence(place: Path) -> None:
    stageboard(place, "plan", "missing.onnx", "--target", "pipeline:2", status=2)
    # What processes of its own are told is no door for others.
    stageboard(place, "--run-program", "os", status=2)


@pytest.mark.parametrize("planner", ["auto", "mtpp-mip", "mtpp-cp-sat", "brkga"])
def test_it_plans_also_with_solvers_in_processes(place: Path, planner: str) -> None:
    told = json.loads(
        stageboard(
            place, "plan", "sample_models/resnet50.json", "--target", "pipeline:3", "--planner", planner,
            "--time-limit", "5", "--json",
        )
    )  # fmt: skip
    assert told["valid"] and told["objective"] > 0


def test_it_compares_and_says_the_same_as_the_sources(place: Path) -> None:
    said = stageboard(place, "compare")
    assert "ops moved" in said and "136 of 292" in said


def test_it_presents_a_story_as_page_slides_and_pictures(place: Path) -> None:
    for output, begins in (
        ("talk.html", b"<!doctype html>"), ("talk.pdf", b"%PDF-"), ("talk.pptx", b"PK"), ("talk", b"\x89PNG")
    ):  # fmt: skip
        size = ("--size", "640x400") if output == "talk" else ()
        stageboard(place, "present", "edge-tpu", "-o", output, *size)
        file = place / output
        written = sorted(file.iterdir()) if file.is_dir() else [file]
        assert written
        assert all(
            file.read_bytes()[:15].lower().startswith(begins.lower())
            for file in written
            if file.suffix != ".md"
        )


def test_it_measures_plans_exports_and_runs_a_model(place: Path) -> None:
    model, plan = "sample_models/branchy_int8.tflite", "branchy.plan.json"
    stageboard(place, "profile", model, "--runs", "3", "-o", "times.json")
    stageboard(place, "plan", model, "--target", "pipeline:2", "--times", "times.json", "-o", plan)
    said = stageboard(
        place, "export", model, plan, "--times", "times.json", "--to", "tflite-stages", "-o", "stages"
    )
    assert "bit for bit" in said and len(list((place / "stages").glob("*.tflite"))) == 2
    assert "samples" in stageboard(place, "run", model, plan, "--times", "times.json", "--samples", "10")


def test_it_cuts_an_onnx_model_into_stages_that_run(place: Path) -> None:
    model, plan = "sample_models/fpn_detector.onnx", "detector.plan.json"
    stageboard(place, "profile", model, "--runs", "2", "-o", "times.json")
    stageboard(place, "plan", model, "--target", "pipeline:2", "-o", plan)
    stageboard(place, "export", model, plan, "--to", "onnx-stages", "-o", "stages")
    assert len(list((place / "stages").glob("*.onnx"))) == 2
    stageboard(place, "export", model, plan, "--to", "certificate", "-o", "certificate.txt")
    assert "numpy" in (place / "certificate.txt").read_text("utf-8")


def test_a_sweep_runs_in_processes_of_its_own(place: Path) -> None:
    (place / "sweep.toml").write_text(
        'models = ["sample_models/resnet50.json"]\ntargets = ["pipeline:2", "pipeline:3"]\nplanners = ["slice"]\n'
    )
    stageboard(place, "sweep", "sweep.toml", "-o", "found.csv", "--workers", "2")
    with (place / "found.csv").open(encoding="utf-8") as file:
        found = [row["status"] for row in csv.DictReader(file)]
    assert len(found) == 2 and "error" not in found


def test_a_race_holds_its_processes_and_lets_them_go_on(place: Path) -> None:
    """More take part than there are cores, so that they are held in turn: the worker and the solver's process beside it."""
    racing = subprocess.Popen(
        [
            str(APP), "race", "sample_models/bert_large.json", "--target", "pipeline:16", "--cores", "1",
            "--time-limit", "40", "-o", "raced.plan.json",
        ],
        cwd=place, env=environment(place), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        until(lambda: "T" in processes_of_the_app().values() or racing.poll() is not None)
        assert racing.poll() is None, racing.communicate()[0]
        said = racing.communicate(timeout=PATIENCE)[0]
    finally:
        racing.kill()
    assert racing.returncode == 0 and (place / "raced.plan.json").is_file(), said


def test_who_is_interrupted_keeps_the_best_plan_and_leaves_no_process(place: Path) -> None:
    planning = subprocess.Popen(
        [
            str(APP), "plan", "sample_models/bert_large.json", "--target", "pipeline:8", "--planner", "mtpp-mip",
            "--time-limit", "600", "-o", "best.plan.json",
        ],
        cwd=place, env=environment(place), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until(lambda: len(processes_of_the_app()) > 1 or planning.poll() is not None)
        time.sleep(5.0)
        planning.send_signal(signal.SIGINT)
        planning.communicate(timeout=PATIENCE)
    finally:
        planning.kill()
    assert planning.returncode == 0 and (place / "best.plan.json").is_file()


# ---------------------------------------------------------------------- the window
def test_the_tour_opens_windows_plans_beside_them_and_saves(place: Path) -> None:
    stageboard(place, "demo", "--headless", "--out", "out")
    report = (place / "out" / "report.html").read_text("utf-8")
    assert "A planner at work" in report
    assert list((place / "out").glob("*.plan.json")) and list((place / "out").glob("*.png"))


@contextmanager
def screen(place: Path) -> Iterator[dict[str, str]]:
    """The environment of a virtual screen of its own."""
    for program in ("Xvfb", "xdotool"):
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    near, far = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(far), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[far], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        os.close(far)
        with os.fdopen(near) as answer:
            yield environment(place, DISPLAY=f":{answer.readline().strip()}", QT_QPA_PLATFORM="xcb")
    finally:
        server.terminate()
        server.wait()


def test_a_window_plans_in_the_background_and_saves_by_keys(place: Path) -> None:
    with screen(place) as surroundings:

        def keys(*words: str) -> str:
            return subprocess.run(
                ["xdotool", *words], env=surroundings, capture_output=True, text=True, check=False, timeout=60
            ).stdout

        def shown(title: str) -> str:
            """The window of this title once it is there. Others of the program's have its name and take no keys: they are never shown."""

            def found() -> list[str]:
                assert window.poll() is None, window.communicate()[1]
                return keys("search", "--onlyvisible", "--name", title).split()

            return str(until(found)[-1])

        model = shutil.copy(SHIPPED / "sample_models" / "unet.onnx", place / "net.onnx")
        window = subprocess.Popen(
            [str(APP), str(model)], cwd=place, env=surroundings, stderr=subprocess.PIPE, text=True
        )
        try:
            main = shown("^net .* Stageboard")  # the model is read
            # A server of processes beside it, and a worker that proves.
            until(lambda: len(processes_of_the_app()) >= 2)
            time.sleep(5.0)
            keys("windowfocus", main, "key", "ctrl+Return")
            time.sleep(10.0)
            keys("windowfocus", main, "key", "ctrl+s")
            keys("windowfocus", shown("^Save"), "type", str(place / "saved.plan.json"))
            keys("key", "Return")
            saved = place / "saved.plan.json"
            until(saved.is_file, 120.0)
            keys("windowfocus", main)
            keys("key", "ctrl+q")
            assert window.wait(60.0) == 0
        finally:
            window.kill()
            window.communicate()
    assert re.search(r'"planner"', saved.read_text("utf-8"))
