"""What is installed: a wheel and a source archive are built without network, hold what the product reads, and work in an empty folder."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("assets", "docs", "gui", "planner", "sample_models", "stageboard")
CARRIED = "stageboard/shipped/"
LARGEST_WHEEL = 6_000_000
NOT_BUILT = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc", "images")


def built(source: Path, kind: str, place: Path) -> Path:
    """What the build backend makes of a folder: ``wheel`` or ``sdist``."""
    program = f"import setuptools.build_meta as b; print('built', b.build_{kind}({str(place)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, cwd=source, capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stderr
    return place / done.stdout.splitlines()[-1].removeprefix("built ")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(wheel, source archive) of this checkout, built in a copy of it."""
    copy, dist = tmp_path_factory.mktemp("checkout"), tmp_path_factory.mktemp("dist")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=NOT_BUILT)
    for file in ROOT.iterdir():
        if (
            file.is_file()
            and file.suffix in (".py", ".toml", ".md", ".in", ".txt", "")
            and not file.name.startswith(".")
        ):
            shutil.copy(file, copy)
    return built(copy, "wheel", dist), built(copy, "sdist", dist)


@pytest.fixture(scope="module")
def installed(archives: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked."""
    place = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(archives[0]) as wheel:
        wheel.extractall(place)
    return place


def names_of(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_a_wheel_holds_the_packages_and_what_they_read(archives: tuple[Path, Path]) -> None:
    names = names_of(archives[0])
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"gui", "planner", "stageboard"}
    for folder in ("gui", "planner", "stageboard"):
        sources = {file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*.py")}
        assert sources <= names, sources - names
    for pattern in ("sample_models/*", "assets/**/*", "docs/*.md"):
        for file in ROOT.glob(pattern):
            assert file.is_dir() or f"{CARRIED}{file.relative_to(ROOT).as_posix()}" in names, file
    assert {
        "stageboard/py.typed",
        "planner/model/named_machines.toml",
        "gui/present/html/player/page.css",
    } <= names
    assert not any("tests/" in name or name.endswith((".png", ".nbi", ".nbc", ".pyc")) for name in names)
    assert archives[0].stat().st_size < LARGEST_WHEEL


def test_its_metadata_is_what_people_look_for(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        info = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        about = email.message_from_string(wheel.read(info).decode())
        scripts = wheel.read(info.replace("METADATA", "entry_points.txt")).decode()
        assert info.replace("METADATA", "licenses/LICENSE") in wheel.namelist()
    assert about["Name"] == "stageboard" and about["License-Expression"] == "MIT"
    assert str(about.get_payload()).lstrip().startswith("# Stageboard")
    assert about["Description-Content-Type"] == "text/markdown" and about["Keywords"]
    classifiers = about.get_all("Classifier") or []
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in classifiers
    assert "stageboard = stageboard.__main__:main" in scripts


def test_the_source_archive_makes_the_same_wheel(archives: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(archives[1]) as archive:
        assert not any("/tests/" in name for name in archive.getnames())
        # Earlier versions of 3.11 know no filter, later ones ask for one.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (source,) = tmp_path.iterdir()
    assert names_of(built(source, "wheel", tmp_path)) == names_of(archives[0])


# ---------------------------------------------------------------------- in an empty folder
def ran(installed: Path, folder: Path, words: Sequence[str], **more: str) -> subprocess.CompletedProcess[str]:
    """A program in ``folder`` that finds the unpacked wheel, and no checkout."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "STAGEBOARD"))}
    # Kernels as plain Python: compiling them anew for another folder takes minutes.
    environment |= {
        "PYTHONPATH": str(installed),
        "QT_QPA_PLATFORM": "offscreen",
        "NUMBA_DISABLE_JIT": "1",
        **more,
    }
    return subprocess.run(
        [sys.executable, *words], check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=170
    )  # fmt: skip


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--version"], "stageboard "),
        (["demo", "--list"], "edge-tpu"),
        (["info", "SAMPLES/resnet50.json"], "177"),
        (["plan", "SAMPLES/resnet50.json", "--target", "edge-tpu:2", "--planner", "edge-tpu-balanced", "--prove", "off"], "valid"),
        (["compare", "--prove", "off"], "2 plans compared"),
        (["generate", "chain", "-o", "chain.npz"], "wrote chain.npz"),
    ],
)  # fmt: skip
def test_commands_work_in_an_empty_folder(installed: Path, empty: Path, words: list[str], said: str) -> None:
    samples = f"{installed / CARRIED / 'sample_models'}"
    done = ran(installed, empty, ["-m", "stageboard", *(word.replace("SAMPLES", samples) for word in words)])
    assert done.returncode == 0 and said in done.stdout, done.stderr


def test_every_story_is_found_by_name_with_its_models(installed: Path, empty: Path) -> None:
    program = (
        "from gui.app.present import story_file\n"
        "from gui.app.demo.stories import shipped\n"
        "from planner.story.files.plans import resolve\n"
        "for one in shipped():\n"
        "    assert story_file(one.name) == one.path\n"
        "    print(one.name, len(resolve(one.story, one.path.parent).plans))\n"
    )
    done = ran(installed, empty, ["-c", program])
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 5, done.stderr


def test_the_window_has_its_icon_samples_and_pages(installed: Path, empty: Path) -> None:
    program = (
        "import gui\n"
        f"assert gui.__file__.startswith({str(installed)!r})\n"
        "from gui.look.application import application\n"
        "app = application()\n"
        "from PySide6.QtGui import QIcon\n"
        "from gui.look.assets import asset\n"
        "assert QIcon(asset('stageboard.svg')).pixmap(64).toImage().pixelColor(32, 32).alpha()\n"
        "from gui.look.theme import LIGHT\n"
        "from gui.shell.start_page import SAMPLES, StartPage, samples\n"
        "assert len(samples()) == len(SAMPLES)\n"
        "from gui.shell.help.pages import help_pages\n"
        "assert len(help_pages()) > 40 and all('![' not in page.text() for page in help_pages())\n"
        "from planner.model.samples import ships, STORIES\n"
        "assert all(ships(story) for story in STORIES.iterdir())\n"
    )
    done = ran(installed, empty, ["-c", program])
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_library_works_there(installed: Path, empty: Path) -> None:
    program = (
        "import stageboard as sb\n"
        "from planner.model.samples import sample\n"
        "plan = sb.plan(sb.read(sample('unet.onnx')), 'pipeline:2', planner='slice', prove=0)\n"
        "print(plan); print(sb.load(plan.save('unet.plan.json')).status)\n"
    )
    done = ran(installed, empty, ["-c", program])
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 5, done.stderr
