"""Open the page of a story in a real browser and look whether it does what it should.

    python tools/check_html.py STORY.html [--pictures FOLDER] [--size 1280x800] [--theme dark] [--reduced-motion]

It needs a Python with QtWebEngine, a Chromium (``pip install PySide6-Addons==6.11.3``, the version of ``PySide6-Essentials``), and no
display. Checked: that nothing but the file itself is asked for, that no script fails and nothing violates the page's own policy, that
keys and buttons go from keyframe to keyframe, that the picture changes, that it plays by itself, that pointing at an op names
it, and that all keyframes are printed. What was found is printed as one JSON object; the status is 1 where a check failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Chromium's sandbox needs rights that a container lacks; the page is our own, and it must not reach anything anyway.
os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")
os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--disable-gpu --log-level=3")

LIMIT = 30.0
"""Seconds that any one step may take."""
FRAMES = """new Promise(done => { const times = []; let last = performance.now(); const one = now => { times.push(now - last);
last = now; times.length < 90 ? requestAnimationFrame(one) : done(times); }; requestAnimationFrame(one); })"""


class Browser:
    """A page in an offscreen Chromium; every request and every line of its console is kept."""

    def __init__(self, size: tuple[int, int], theme: str = "light", flags: str = "") -> None:
        # What the page is told that the reader prefers.
        scheme = f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}"
        os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] += f" {scheme} {flags}"
        from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, QWebEngineUrlRequestInterceptor
        from PySide6.QtWebEngineWidgets import QWebEngineView
        from PySide6.QtWidgets import QApplication

        self.app = QApplication.instance() or QApplication(["check"])
        self.requests: list[str] = []
        self.console: list[str] = []
        requests, console = self.requests, self.console

        class Interceptor(QWebEngineUrlRequestInterceptor):
            def interceptRequest(self, info: Any) -> None:
                requests.append(info.requestUrl().toString()[:200])

        class Page(QWebEnginePage):
            def javaScriptConsoleMessage(self, level: Any, message: str, line: int, source: str) -> None:
                console.append(f"{message} (line {line})")

        self._profile = QWebEngineProfile()
        self._interceptor = Interceptor()
        self._profile.setUrlRequestInterceptor(self._interceptor)
        self.view = QWebEngineView()
        self.page = Page(self._profile, self.view)
        self.view.setPage(self.page)
        self.view.resize(*size)
        self.view.show()

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a file and wait for it."""
        from PySide6.QtCore import QUrl

        url = QUrl.fromLocalFile(str(path.resolve()))
        url.setFragment(fragment)
        loaded: list[bool] = []
        self.page.loadFinished.connect(loaded.append)
        self.page.load(url)
        self.until(lambda: bool(loaded))
        self.wait(0.4)

    def until(self, over: Callable[[], bool], limit: float = LIMIT) -> bool:
        """Let the browser run until ``over()``; whether that came to be in time."""
        deadline = time.monotonic() + limit
        while not over():
            if time.monotonic() > deadline:
                return False
            self.app.processEvents()
            time.sleep(0.003)
        return True

    def wait(self, seconds: float) -> None:
        """Let the browser run for a while."""
        self.until(lambda: False, seconds)

    def ask(self, script: str) -> Any:
        """The value of an expression in the page (of a world of its own: the page's policy stays in force for its scripts)."""
        answers: list[Any] = []
        self.page.runJavaScript(f"JSON.stringify({script})", 0, answers.append)
        self.until(lambda: bool(answers))
        return json.loads(answers[0]) if answers and answers[0] else None

    def later(self, script: str) -> Any:
        """The value that a promise comes to."""
        self.page.runJavaScript(f"window.__answer = null; ({script}).then(v => window.__answer = v)", 0)
        self.until(lambda: self.ask("window.__answer") is not None)
        return self.ask("window.__answer")

    def key(self, key: Any) -> None:
        """Press and release a key, as a person does."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        target = self.view.focusProxy() or self.view
        QTest.keyClick(target, key, Qt.KeyboardModifier.NoModifier)
        self.wait(0.05)

    def type(self, text: str) -> None:
        """Type, as a person does."""
        from PySide6.QtTest import QTest

        QTest.keyClicks(self.view.focusProxy() or self.view, text)
        self.wait(0.15)

    def point(self, x: int, y: int) -> None:
        """Move the pointer."""
        from PySide6.QtCore import QPoint
        from PySide6.QtTest import QTest

        QTest.mouseMove(self.view.focusProxy() or self.view, QPoint(x, y))
        self.wait(0.15)

    def picture(self, path: Path) -> None:
        """What is seen, as a file."""
        self.wait(0.25)
        self.view.grab().save(str(path))

    def keyframe(self) -> int:
        """The keyframe that is shown, from 1."""
        return int(self.ask("document.documentElement.dataset.keyframe"))

    def settle(self, keyframe: int) -> bool:
        """Wait until a keyframe is there and nothing moves."""
        there = self.until(lambda: self.keyframe() == keyframe, 10.0)
        before = None
        for _ in range(200):
            now = self.ask("document.getElementById('scrubber').value")
            if now == before:
                break
            before = now
            self.wait(0.1)
        self.wait(0.3)
        return there

    def seen(self) -> str:
        """A fingerprint of the canvas."""
        return str(
            self.ask(
                "document.getElementById('graph').toDataURL().length + ':' + document.getElementById('page').innerText.length"
            )
        )

    def close(self) -> None:
        """End it: the page before its profile."""
        self.page.deleteLater()
        self.view.deleteLater()
        self.wait(0.1)


def check(
    path: Path, size: tuple[int, int], pictures: Path | None, theme: str = "light", flags: str = ""
) -> tuple[dict[str, Any], list[str]]:
    """Figures, and sentences on what is wrong."""
    from PySide6.QtCore import Qt

    wrong: list[str] = []

    def must(fine: bool, sentence: str) -> None:
        if not fine:
            wrong.append(sentence)

    browser = Browser(size, theme, flags)
    browser.open(path)
    count = int(browser.ask("document.querySelectorAll('.slide').length"))
    must(browser.keyframe() == 1, "the page does not begin with its first keyframe")
    begun = browser.ask("document.documentElement.dataset.theme")
    must(
        begun == (browser.ask("JSON.parse(document.getElementById('data').textContent).theme") or theme),
        "the theme is not the reader's",
    )
    seen = []
    for k in range(1, count + 1):
        if k > 1:
            browser.key(Qt.Key.Key_Right)
        must(browser.settle(k), f"the right arrow did not lead to keyframe {k}")
        seen.append(browser.seen())
        if pictures is not None:
            browser.picture(pictures / f"{path.stem}-{k:02d}.png")
    must(len(set(seen)) > count / 2, "the picture hardly changes from keyframe to keyframe")
    browser.key(Qt.Key.Key_Right)
    must(browser.settle(count), "the right arrow leads beyond the last keyframe")
    browser.key(Qt.Key.Key_Left)
    must(browser.settle(max(1, count - 1)), "the left arrow does not go back")
    if count > 1:
        must(browser.seen() == seen[count - 2], "a keyframe looks otherwise when one comes back to it")
    browser.key(Qt.Key.Key_Home)
    must(browser.settle(1), "Home does not lead to the first keyframe")
    must(browser.seen() == seen[0], "the first keyframe looks otherwise after Home")
    theme = browser.ask("document.documentElement.dataset.theme")
    browser.key(Qt.Key.Key_T)
    browser.wait(0.3)
    must(browser.ask("document.documentElement.dataset.theme") != theme, "T does not change the theme")
    if pictures is not None:
        browser.picture(pictures / f"{path.stem}-other-theme.png")
    browser.key(Qt.Key.Key_T)
    browser.type("]")
    pointed = browser.ask("document.getElementById('tip').innerText")
    if browser.ask("JSON.parse(document.getElementById('data').textContent).frames[0].kind") == "graph":
        must(bool(pointed), "no op is named when one goes through them by keys")
        ring = browser.ask(
            "(r => [r.x + r.width / 2, r.y + r.height / 2])(document.getElementById('ring').getBoundingClientRect())"
        )
        browser.key(Qt.Key.Key_Escape)
        browser.point(int(ring[0]), int(ring[1]))
        must(
            browser.ask("document.getElementById('tip').innerText") == pointed,
            "the pointer does not name the op under it",
        )
        if pictures is not None:
            browser.picture(pictures / f"{path.stem}-pointed.png")
        browser.point(3, size[1] - 3)
    browser.key(Qt.Key.Key_Space)
    before = float(browser.ask("document.getElementById('scrubber').value"))
    frames = browser.later(FRAMES)
    browser.wait(0.5)
    must(
        float(browser.ask("document.getElementById('scrubber').value")) > before + 0.3,
        "it does not play by itself",
    )
    browser.key(Qt.Key.Key_Space)
    browser.key(Qt.Key.Key_End)
    must(browser.settle(count), "End does not lead to the last keyframe")
    with tempfile.TemporaryDirectory() as folder:
        printed = (pictures or Path(folder)) / f"{path.stem}-printed.pdf"
        finished: list[bool] = []
        browser.page.pdfPrintingFinished.connect(lambda _, fine: finished.append(fine))
        browser.page.printToPdf(str(printed))
        must(browser.until(lambda: bool(finished)) and finished[0], "the page cannot be printed")
        pages = printed.read_bytes().count(b"/Type /Page\n") if printed.exists() else 0
        must(pages >= count, f"{pages} pages are printed for {count} keyframes")
    own = path.resolve().as_uri()
    # Pictures inside the file are no requests of a network: they are its own bytes.
    foreign = [
        url for url in browser.requests if not (url.split("#")[0] == own[:200] or url.startswith("data:"))
    ]
    must(not foreign, f"the page asks for {foreign[:3]}")
    must(not browser.console, f"the console says {browser.console[:3]}")
    must(
        browser.ask("document.querySelectorAll('script[src], link, iframe, object, embed').length") == 0,
        "the page refers to other files",
    )
    scripts = browser.ask("[document.scripts.length, document.images.length]")
    times = sorted(frames or [0.0])
    figures = {
        "file": path.name, "bytes": path.stat().st_size, "keyframes": count, "requests": len(browser.requests), "foreign_requests": len(foreign),
        "scripts": scripts[0], "console": browser.console, "printed_pages": pages, "pointed_at": pointed,
        "frame_ms_median": round(times[len(times) // 2], 1), "frame_ms_worst": round(times[-1], 1),
    }  # fmt: skip
    browser.close()
    return figures, wrong


def main(arguments: list[str]) -> int:
    """Check one file. Returns the exit status."""
    parser = argparse.ArgumentParser(description="open a story's page in a browser and check what it does")
    parser.add_argument("file", type=Path)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    parser.add_argument("--size", default="1280x800", metavar="WxH")
    parser.add_argument(
        "--theme", choices=("light", "dark"), default="light", help="what the browser prefers"
    )
    parser.add_argument("--reduced-motion", action="store_true", help="what the browser prefers")
    args = parser.parse_args(arguments)
    try:
        import PySide6.QtWebEngineWidgets  # noqa: F401
    except ImportError as error:
        print(f"no browser: {error}; run this with a Python that has PySide6-Addons", file=sys.stderr)
        return 2
    if args.pictures is not None:
        args.pictures.mkdir(parents=True, exist_ok=True)
    width, _, height = args.size.partition("x")
    flags = "--force-prefers-reduced-motion" if args.reduced_motion else ""
    figures, wrong = check(args.file, (int(width), int(height)), args.pictures, args.theme, flags)
    print(json.dumps({**figures, "wrong": wrong}, indent=1, ensure_ascii=False))
    return 1 if wrong else 0


if __name__ == "__main__":
    # Chromium's own tear-down after the interpreter's is not what is checked.
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)
