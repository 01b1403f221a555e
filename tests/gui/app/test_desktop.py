"""Stageboard on a Linux desktop: what one command writes, where, and takes away again."""

from __future__ import annotations

import configparser
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gui.app import desktop
from gui.app.launch import main
from tests.gui.full_disk import room_for

ROOT = Path(__file__).resolve().parents[3]
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user's data, empty."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(desktop, "_refresh", lambda home: None)
    return tmp_path / "share"


def files_in(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def entry(home: Path) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string((home / "applications" / "stageboard.desktop").read_text("utf-8"))
    return parser["Desktop Entry"]


def test_it_writes_entry_icons_and_types_says_so_and_takes_them_away(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["install-desktop", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    written = files_in(home)
    assert {str(home / name) for name in written} == set(said["files"]) and said["removed"] is False
    assert {
        "applications/stageboard.desktop",
        "icons/hicolor/scalable/apps/stageboard.svg",
        "mime/packages/stageboard.xml",
    } <= written
    found = entry(home)
    assert found["Type"] == "Application" and found["Icon"] == "stageboard" and found["Exec"].endswith(" %F")
    assert found["StartupWMClass"] == "stageboard" and os.access(found["TryExec"], os.X_OK)
    icons = home / "icons/hicolor/scalable"
    for mime in found["MimeType"].rstrip(";").split(";"):
        assert (icons / "mimetypes" / f"{mime.replace('/', '-')}.svg").read_bytes() == (
            ROOT / "assets/stageboard.svg"
        ).read_bytes()
    # Again, over what is there.
    assert main(["install-desktop"]) == 0
    assert capsys.readouterr().out.count("wrote ") == len(written)
    (home / "applications" / "other.desktop").write_text("")
    assert main(["install-desktop", "--remove"]) == 0
    assert capsys.readouterr().out.count("removed ") == len(written)
    assert files_in(home) == {"applications/other.desktop"}
    assert main(["install-desktop", "--remove"]) == 0
    assert "there was nothing to remove" in capsys.readouterr().out


def test_the_types_are_those_of_the_files_that_are_written(home: Path) -> None:
    assert main(["install-desktop"]) == 0
    types = {one.get("type"): one for one in ET.parse(home / "mime/packages/stageboard.xml").getroot()}
    assert set(types) == {one.mime for one in desktop.TYPES}
    for file, mime in (
        ("assets/examples/bert_3_contiguous.plan.json", "application/x-stageboard-plan+json"),
        ("assets/stories/sparse.story.json", "application/x-stageboard-story+json"),
        ("sample_models/resnet50.json", "application/x-stageboard-graph+json"),
    ):
        start = (ROOT / file).read_bytes()[: desktop.FIRST_BYTES + 40].decode()
        matching = [
            name for name, one in types.items() if one.find(f"{MIME}magic/{MIME}match").get("value") in start
        ]  # type: ignore[union-attr]
        assert matching == [mime], file


def test_paths_with_odd_characters_stay_one_word() -> None:
    text = desktop.desktop_entry(['/opt/a b/100%/st"a$ge`bo\\ard', "-m"])
    line = next(line for line in text.splitlines() if line.startswith("Exec="))
    assert line == r'Exec=env STAGEBOARD_FROM_DESKTOP=1 "/opt/a b/100%%/st\\"a\\$ge\\`bo\\\\ard" "-m" %F'


def test_without_a_console_script_the_interpreter_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert desktop.command() == [str(tmp_path / "python"), "-m", "stageboard"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert desktop.command() == [str(tmp_path / "python")]


def test_relative_data_homes_do_not_count() -> None:
    assert (
        desktop.data_home({"XDG_DATA_HOME": "share"})
        == Path.home() / ".local" / "share"
        == desktop.data_home({})
    )


def test_a_full_disk_leaves_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with room_for(300, monkeypatch):
        assert main(["install-desktop"]) == 2
    assert "stageboard: " in capsys.readouterr().err
    assert files_in(home) == set()


def test_where_it_cannot_be_is_one_sentence(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home.write_text("a file in the way")
    assert main(["install-desktop"]) == 2
    assert "cannot be made" in capsys.readouterr().err
    monkeypatch.setattr(sys, "platform", "darwin")
    assert main(["install-desktop"]) == 2
    assert "is for Linux desktops" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-validate is not here")
def test_the_entry_is_valid(home: Path) -> None:
    assert main(["install-desktop"]) == 0
    done = subprocess.run(
        ["desktop-file-validate", home / "applications/stageboard.desktop"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout == "", done.stdout


@pytest.mark.skipif(shutil.which("update-mime-database") is None, reason="update-mime-database is not here")
def test_the_types_are_taken_into_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["install-desktop"]) == 0
    globs = (tmp_path / "mime" / "globs2").read_text()
    assert "60:application/x-stageboard-plan+json:*.plan.json" in globs
    assert (tmp_path / "mime" / "application" / "x-stageboard-story+json.xml").is_file()
