"""Check the built site: pages load nothing from the network, and all that they load or link to within it is there.

python tools/site/check.py FOLDER
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

LOADED = {
    "audio": ("src",), "embed": ("src",), "iframe": ("src",), "img": ("src", "srcset"), "input": ("src",), "object": ("data",),
    "script": ("src",), "source": ("src", "srcset"), "track": ("src",), "video": ("src", "poster"),
}  # fmt: skip
"""What a browser fetches without being asked, by element."""
LINK_RELATIONS = (
    "stylesheet",
    "icon",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "manifest",
    "modulepreload",
)
IMPORTED = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """What a page loads and what it links to, and the names within it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.names: set[str] = set()
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        self._in_style = tag == "style"
        for name in LOADED.get(tag, ()):
            if given.get(name):
                parts = given[name].split(",") if name == "srcset" else [given[name]]
                self.loaded += [part.split()[0] for part in parts]
        if tag == "link" and set(given.get("rel", "").split()) & set(LINK_RELATIONS):
            self.loaded.append(given.get("href", ""))
        if tag == "a" and "href" in given:
            self.linked.append(given["href"])
        self.loaded += imported(given.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += imported(data)


def imported(style: str) -> list[str]:
    """What a style sheet loads."""
    return [one or other for one, other in IMPORTED.findall(style)]


def wrong(site: Path) -> Iterator[str]:
    """A sentence for each thing that is."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    if site / "index.html" not in pages:
        yield f"there is no page index.html in {site}"
    sheets = {path: imported(path.read_text("utf-8")) for path in sorted(site.rglob("*.css"))}
    for path, loaded in [*((path, page.loaded) for path, page in pages.items()), *sheets.items()]:
        where = path.relative_to(site)
        for address in loaded:
            if ELSEWHERE.match(address):
                yield f"{where} loads {address} from the network"
            elif not address.startswith(("data:", "#")) and not target(site, path, address).is_file():
                yield f"{where} loads {address}, which is not there"
    for path, page in pages.items():
        for address in page.linked:
            if re.match(r"[a-z]+:", address) or path.name == "404.html":
                continue
            file, name = urldefrag(address)
            led = target(site, path, file) if file else path
            if led.is_dir():
                led /= "index.html"
            if not led.is_file():
                yield f"{path.relative_to(site)} links to {address}, which is not there"
            elif name and led in pages and unquote(name) not in pages[led].names:
                yield f"{path.relative_to(site)} links to {address}, which has no such heading"


def target(site: Path, page: Path, address: str) -> Path:
    """The file that an address in a page means."""
    plain = unquote(urldefrag(address)[0].partition("?")[0])
    return site / plain.lstrip("/") if plain.startswith("/") else (page.parent / plain).resolve()


def main(folder: str) -> int:
    site = Path(folder).resolve()
    found = list(wrong(site))
    for sentence in found:
        print(sentence, file=sys.stderr)
    if not found:
        print(
            f"{folder}/index.html: {len(list(site.rglob('*.html')))} pages, nothing loaded from the network"
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
