"""Large files, measured on small ones."""

from __future__ import annotations

import re
import sys

import pytest

from benchmarks import large


def test_each_step_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def measured(words: list[str]) -> tuple[float, float]:
        commands.append(words)
        return 1.25, 2000.0

    monkeypatch.setattr(large, "measured", measured)
    assert large.rows((40,), (10,))[0] == ["40 ops", *["1.2 s, 2,000 MB"] * 4]
    assert [words[3] for words in commands[:3]] == ["info", "plan", "render"]
    assert large.rows((), (10,))[0][-1] == "–"


def test_a_command_is_measured_with_what_it_started() -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    seconds, megabytes = large.measured([sys.executable, "-c", code])
    assert seconds >= 0.3 and megabytes > 1
    with pytest.raises(OSError, match=re.escape("ended with status 3")):
        large.measured([sys.executable, "-c", "raise SystemExit(3)"])
