"""Compiling everything that a program with a window compiles at first use (``python -m gui.app.warm_up``), in several processes."""

from __future__ import annotations

import sys
import time

from gui.app.kernels import helpers, tasks, work_through
from planner.processes.question import Answer, Aside, Part
from planner.processes.start import end_server
from planner.runs import preparing

POLL_SECONDS = 0.1


def warm_up() -> int:
    """Do all of it, and say how far it is; the exit status."""
    wanted = preparing.missing(tasks())
    began, done, failures = time.monotonic(), 0, []
    sides = [Aside(work_through, wanted) for _ in range(helpers() if wanted else 0)]
    try:
        while sides:
            time.sleep(POLL_SECONDS)
            for side in list(sides):
                while (said := side.poll()) is not None:
                    if isinstance(said, Part):
                        done += 1
                        _say(f"{done} of {len(wanted)} ({time.monotonic() - began:.0f} s): {said.value}")
                        continue
                    assert isinstance(said, Answer)
                    failures += [said.sentence] if said.sentence else []
                    side.close()
                    sides.remove(side)
                    break
    finally:
        for side in sides:
            side.close()
        end_server()
    if done and sys.stdout.isatty():
        print()
    for sentence in failures:
        print(f"not everything could be compiled ahead: {sentence}", file=sys.stderr)
    return 1 if failures else 0


def _say(text: str) -> None:
    print(
        f"\r\033[K  {text}" if sys.stdout.isatty() else f"  {text}",
        end="" if sys.stdout.isatty() else "\n",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(warm_up())
