"""What the site of the documentation takes from elsewhere in the repository (MkDocs calls this while it builds)."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
TAKEN = {
    "assets/stageboard.svg": ROOT / "assets" / "stageboard.svg",
    "assets/iframe-worker.js": ROOT / "tools" / "site" / "iframe-worker.js",
    "assets/stageboard.css": ROOT / "tools" / "site" / "stageboard.css",
}
"""Where in the site, and from where."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the picture of the program and the site's own script and style."""
    for place, source in TAKEN.items():
        files.append(File.generated(config, place, abs_src_path=str(source)))
    return files
