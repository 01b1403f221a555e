"""The examples of ``docs/library.md`` run, one after the other, and its tables name what there is."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import stageboard as sb

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_run_as_one_script(tmp_path: Path) -> None:
    (tmp_path / "sample_models").symlink_to(ROOT / "sample_models")
    environment = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    script = tmp_path / "script.py"
    script.write_text("\nprint('---')\n".join(EXAMPLES))
    done = subprocess.run(
        [sys.executable, script], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=170,
        env={**environment, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (shown,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert done.stdout.partition("---")[0] == shown
    assert "there is no planner 'chance'" in done.stdout
    for name in ("unet.svg", "unet.png", "unet.csv", "unet.txt", "unet.plan.json"):
        assert (tmp_path / name).stat().st_size > 0


def test_every_name_and_every_argument_is_on_the_page() -> None:
    for name in sb.__all__:
        assert name in PAGE or name in (
            "Bound",
            "Run",
            "Progress",
            "Graph",
            "Network",
            "Plan",
            "Comparison",
            "Target",
            "__version__",
        ), name
    table = PAGE[PAGE.index("| argument |") : PAGE.index("plan = sb.plan(graph, sb.target")]
    listed = {
        word
        for cell in re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
        for word in re.findall(r"`(\w+)`", cell)
    }
    assert listed == set(inspect.signature(sb.plan).parameters) - {"model", "target"}
