"""The check of the built site finds what it is for: what pages load from the network, and what is not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def checked(site: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "site" / "check.py"), str(site)], capture_output=True, text=True, check=False
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "a.css").write_text("body { background: url(a.png) }")
    (tmp_path / "a.png").write_bytes(b"x")
    (tmp_path / "index.html").write_text(
        '<link rel="stylesheet" href="a.css"><a href="https://example.org">a link out</a><a href="b.html#part">b</a>'
    )
    (tmp_path / "b.html").write_text('<h2 id="part">Part</h2><img src="a.png"><a href="index.html">home</a>')
    return tmp_path


def test_a_site_that_has_all_it_needs_passes(site: Path) -> None:
    status, said = checked(site)
    assert status == 0 and "2 pages" in said, said


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (
            '<script src="https://cdn.example.org/x.js"></script>',
            "loads https://cdn.example.org/x.js from the network",
        ),
        ('<script src="//cdn.example.org/x.js"></script>', "from the network"),
        ('<link rel="preconnect" href="https://fonts.example.org">', "from the network"),
        ('<img srcset="https://example.org/x.png 2x">', "from the network"),
        ("<style>@import 'https://example.org/x.css'</style>", "from the network"),
        ('<p style="background: url(https://example.org/x.png)">', "from the network"),
        ('<img src="none.png">', "loads none.png, which is not there"),
        ('<a href="none.html">x</a>', "links to none.html, which is not there"),
        ('<a href="b.html#none">x</a>', "which has no such heading"),
    ],
)
def test_what_is_wrong_is_named(site: Path, page: str, says: str) -> None:
    (site / "c.html").write_text(page)
    status, said = checked(site)
    assert status == 1 and says in said and said.startswith("c.html "), said


def test_style_sheets_are_looked_into(site: Path) -> None:
    (site / "a.css").write_text("@font-face { src: url('https://example.org/f.woff') }")
    assert checked(site)[0] == 1


def test_an_empty_folder_is_no_site(tmp_path: Path) -> None:
    assert checked(tmp_path)[0] == 1
