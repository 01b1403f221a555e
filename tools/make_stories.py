"""Write the stories that Stageboard brings along, `assets/stories/*.story.json`: plan, evaluate, fill the captions.

The same bytes each time (with the pinned versions of the solvers)::

    python tools/make_stories.py assets/stories            # all; some minutes
    python tools/make_stories.py assets/stories edge-tpu
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from stories.device_placement import DEVICE_PLACEMENT  # noqa: E402
from stories.edge_tpu import EDGE_TPU  # noqa: E402
from stories.package import PACKAGE  # noqa: E402
from stories.parts import Script, story_of  # noqa: E402
from stories.pipeline import PIPELINE  # noqa: E402
from stories.sparse import SPARSE  # noqa: E402

from gui.look.display import (  # noqa: E402
    application,
    check_qt,
    offscreen,
)
from planner.story.files.json import SUFFIX, write_story  # noqa: E402

SCRIPTS: tuple[Script, ...] = (PIPELINE, DEVICE_PLACEMENT, EDGE_TPU, PACKAGE, SPARSE)
"""The five stories."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "keys", nargs="*", metavar="STORY", help=f"which ({', '.join(s.key for s in SCRIPTS)}); default all"
    )
    args = parser.parse_args(argv)
    check_qt()
    offscreen()  # what the cameras see depends on the layout, and that on fonts
    app = application()
    args.folder.mkdir(parents=True, exist_ok=True)
    for script in SCRIPTS:
        if args.keys and script.key not in args.keys:
            continue
        began = time.process_time()
        story = story_of(script)
        file = write_story(args.folder / (script.key + SUFFIX), story)
        seconds = time.process_time() - began
        print(
            f"{file}: {len(story.keyframes)} keyframes, {story.duration:.0f} s, {file.stat().st_size / 1024:.0f} KiB, made in {seconds:.1f} CPU s"
        )
    app.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
