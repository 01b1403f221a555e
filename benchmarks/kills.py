"""Kills without warning: the window, its processes, their server, a save, a run; the next start finds everything, and nothing is left.

``make bench ARGS="kills --count 50 --seed 1"``. A round lets windows work in a folder of their own (:mod:`benchmarks.killed_window`), sends SIGKILL at a random
moment, and looks: at what a new start recovers, at the plan's file, at processes, temporary files and shared memory. Exit status 1: something was lost or left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.process_tree import tree_of
from planner.formats.networks.npz import write_network
from planner.runs.running.ring import SHARED
from tests.gui.editors.network.models import layered_network, shuffled_order

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "sample_models"
MODELS = ("resnet50.json", "bert_large.json")
"""One whose plans are saved at once, and one whose are saved beside the window."""
RUN = "branchy_int8.tflite"
KINDS = ("window", "save", "worker", "window", "save", "server", "window", "save", "worker", "run")
TOKEN = "STAGEBOARD_KILLS"
"""The variable of the environment by which processes of a round are told from all others."""
PATIENCE = 1800.0
"""Wall seconds after which something hangs: on a busy machine a start takes minutes."""
ENDS_WITHIN = 30.0
"""Wall seconds after which a process that has lost its window counts as left."""
GOES_ON = 40
"""Lines of the log that a window writes after its process or their server was killed, before it is ended."""


@dataclass
class Round:
    """A folder, what may be killed in it, and what went wrong."""

    kind: str
    seed: int
    folder: Path
    wrong: list[str] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    """Until the last process had ended."""
    hung: bool = False
    """The next start did not end, so that what is there says nothing of what it leaves."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.token = f"{os.getpid()}-{self.seed}"
        for name in ("work", "tmp"):
            (self.folder / name).mkdir()
        self.work = self.folder / "work"
        self.environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder / "tmp"), TOKEN: self.token,
            **{f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("STATE", "CONFIG", "DATA")},
        }  # fmt: skip

    # ------------------------------------------------------------------ what is there
    def processes(self) -> list[int]:
        """Living processes of this round."""
        mine = f"{TOKEN}={self.token}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mine in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # gone, or not ours
        return found

    def log(self) -> list[dict[str, Any]]:
        """Whole lines of what the window told."""
        try:
            text = (self.work / "log").read_text()
        except OSError:
            return []
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def written_now(self) -> bool:
        """Whether something is being written this moment."""
        state = self.folder / "state" / "stageboard"
        return any(next(place.glob(".*.tmp"), None) is not None for place in (self.work, state))

    def started(self, *words: str) -> subprocess.Popen[str]:
        """A program of this round."""
        return subprocess.Popen(
            [sys.executable, "-m", *words], cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )  # fmt: skip

    def until(
        self, true: Callable[[], Any], what: str, program: subprocess.Popen[str] | None = None, pause: float = 0.05,
        seconds: float = PATIENCE,
    ) -> bool:  # fmt: skip
        """Wait; False where it did not come to pass, which is noted."""
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end or (program is not None and program.poll() is not None):
                said = "" if program is None or program.poll() is None else program.communicate()[1][-2000:]
                self.wrong.append(f"{what}: not so\n{said}".rstrip())
                return False
            time.sleep(pause)
        return True

    def all_end(self) -> None:
        """No process outlives its window."""
        begun = time.monotonic()
        self.until(lambda: not self.processes(), "all processes end", seconds=ENDS_WITHIN)
        self.seconds = max(self.seconds, time.monotonic() - begun)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    # ------------------------------------------------------------------ killing
    def kill_in_a_window(self) -> None:
        """Windows work until the kill; what is not the window itself leaves it at work."""
        shutil.copy(SAMPLES / self.rng.choice(MODELS), self.work / "model.json")
        write_network(layered_network(), self.work / "net.npz")
        window = self.started("benchmarks.killed_window", "act", str(self.work), str(self.seed))
        try:
            if not self.until(self.log, "the windows open", window):
                return
            time.sleep(self.rng.uniform(0.2, 6.0))
            if self.kind in ("window", "save"):
                if self.kind == "save":
                    self.until(self.written_now, "something is saved", window, pause=0.0)
                window.kill()
            else:
                self._kill_beside(window)
        finally:
            window.kill()
            window.communicate()
            self.all_end()

    def _kill_beside(self, window: subprocess.Popen[str]) -> None:
        victims: list[int] = []

        def found() -> bool:
            server = self.log()[-1]["server"]
            others = [pid for pid in tree_of(window.pid) if pid not in (window.pid, server)]
            victims[:] = (
                [server] if self.kind == "server" and server else [pid for pid in others if not _tracks(pid)]
            )
            return bool(victims)

        if not self.until(found, "there is something to kill", window):
            return
        os.kill(self.rng.choice(victims), signal.SIGKILL)
        told = len(self.log())
        if self.until(lambda: len(self.log()) > told + GOES_ON, "the window goes on", window):
            window.terminate()
            self.until(lambda: window.poll() is not None, "the window ends")
            if window.returncode:
                self.wrong.append(
                    f"the window ended with {window.returncode}: {window.communicate()[1][-2000:]}"
                )

    def kill_a_run(self) -> None:
        """``stageboard run`` is killed in the middle: shared memory and processes go."""
        model, plan = str(SAMPLES / RUN), str(self.work / "run.plan.json")
        self._command("plan", model, "--target", "pipeline:3", "-o", plan)
        run = self.started("stageboard", "run", model, plan, "--samples", "1000000")
        try:
            self.until(lambda: len(tree_of(run.pid)) > 2, "the stages start", run)
            time.sleep(self.rng.uniform(0.0, 5.0))
        finally:
            run.kill()
            run.communicate()
            self.all_end()
        self._command("run", model, plan, "--samples", "3")

    def _command(self, *words: str) -> None:
        done = self.started("stageboard", *words)
        said = done.communicate(timeout=PATIENCE)[1]
        if done.returncode:
            self.wrong.append(f"{words[0]} ended with {done.returncode}: {said[-2000:]}")

    # ------------------------------------------------------------------ looking
    def look(self) -> None:
        """Start again, recover everything, and compare."""
        self.lines = self.log()
        if not any("did" in line for line in self.lines):
            return
        self._look_at_the_plan()
        looking = self.started("benchmarks.killed_window", "look", str(self.work), str(self.seed))
        try:
            said, errors = looking.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            looking.kill()
            errors = looking.communicate()[1]
            self.hung = True
            self.wrong.append(f"the next start did not end in {PATIENCE:g} s: {errors[-3000:]}")
            self.all_end()
            return
        if looking.returncode or not said.startswith("{"):
            self.wrong.append(f"the next start ended with {looking.returncode}: {errors[-3000:]}")
        else:
            self._compare(json.loads(said.splitlines()[-1]))
        self.all_end()

    def _allowed(self) -> tuple[dict[str, Any], list[str]]:
        """The last step that was done, and the decisions that may be there: its own, and one that was about to be."""
        done = max(i for i, line in enumerate(self.lines) if "did" in line)
        about = [line["state"] for line in self.lines[done + 1 :] if "will" in line]
        return self.lines[done], [self.lines[done]["state"], *about]

    def _compare(self, found: dict[str, Any]) -> None:
        last, allowed = self._allowed()
        at_first = self.lines[0]["state"]
        if "Leftover" not in found["offered"]:  # what is there then is what a story is about
            if last["state"] not in (at_first, self._saved_state()):
                self.wrong.append(f"nothing of the graph was offered ({found['offered']})")
        elif found["state"] not in allowed:
            self.wrong.append(
                f"another decision was recovered: step {found['index']} of {last['did']} ({found['told']})"
            )
        elif found["first"] != at_first:
            self.wrong.append("undoing everything leads elsewhere than to the beginning")
        elif len(allowed) == 1 and (missing := set(last["plans"]) - set(found["plans"])):
            self.wrong.append(f"plans of the list are missing: {sorted(missing)}")
        kept = {
            name: max((line["number"] for line in self.lines if name in line), default=0) for name in ("order", "story")
        }  # fmt: skip
        frames = len(found["frames"])
        if frames < kept["story"] or found["frames"] != [f"frame {i + 1}" for i in range(frames)]:
            self.wrong.append(f"{kept['story']} keyframes were kept, these are there: {found['frames']}")
        orders = [
            shuffled_order(layered_network(), i).tolist() for i in range(kept["order"], kept["order"] + 100)
        ]
        if kept["order"] and found.get("order") not in orders:
            self.wrong.append(f"order {kept['order']} was kept; neither it nor a later one is there")

    def _saved_state(self) -> str | None:
        """The decision in the plan's file; None where there is none. Raises :class:`StageboardError` where it is not whole."""
        from planner.formats import read_graph
        from planner.plan_files.plan_json import open_plan

        file = self.work / "saved.plan.json"
        if not file.exists():
            return None
        plan = open_plan(file, read_graph(self.work / "model.json")).plan
        return bytes(plan.decision.array.astype("uint8")).hex()

    def _look_at_the_plan(self) -> None:
        saved = max((i for i, line in enumerate(self.lines) if "saved" in line), default=-1)
        begun = [
            line["state"] for line in self.lines[max(saved - 1, 0) :] if "saving" in line or "saved" in line
        ]
        try:
            state = self._saved_state()
        except Exception as error:  # whatever it is: the file is not whole
            self.wrong.append(f"the saved plan cannot be read: {error}")
            return
        if (state is None and saved >= 0) or (state is not None and state not in begun):
            self.wrong.append("the saved plan is neither the last one nor one that was being saved")

    def left(self, before: set[str]) -> None:
        """Files that nobody needs any more."""
        if self.hung:
            return
        state = self.folder / "state" / "stageboard"
        left = [
            *(self.folder / "tmp").iterdir(), *self.work.glob(".*"), *state.glob(".*"), *state.glob("*.jsonl"), *state.glob("*.json"),
            *state.glob("temporary/*"), *(path for path in SHARED.iterdir() if path.name not in before and _is_mine(path)),
        ]  # fmt: skip
        if left:
            self.wrong.append(f"left: {', '.join(map(str, left))}")


def _tracks(pid: int) -> bool:
    """Whether it is the process that Python has clean up after others."""
    try:
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def _is_mine(path: Path) -> bool:
    """Whether this user's, and in nobody's use: another program may have shared memory meanwhile, by its id or mapped."""
    try:
        if path.stat().st_uid != os.getuid():
            return False
    except OSError:
        return False
    if any(Path(f"/proc/{number}").exists() for number in re.findall(r"\d+", path.name)):
        return False
    name = str(path)
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and name in (entry / "maps").read_text():
                return False
        except OSError:
            continue
    return path.exists()


@contextmanager
def round_of(kind: str, seed: int) -> Iterator[Round]:
    """A round in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="stageboard-kills-") as folder:
        yield Round(kind, seed, Path(folder))


def kill(kind: str, seed: int) -> Round:
    """One round from its start to what is left of it."""
    before = {path.name for path in SHARED.iterdir()}
    with round_of(kind, seed) as one:
        if kind == "run":
            one.kill_a_run()
        else:
            one.kill_in_a_window()
            one.look()
        one.left(before)
    return one


def main(arguments: Sequence[str] = ()) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=sorted(set(KINDS)), help="this kind alone")
    given = parser.parse_args(list(arguments))
    kinds: Counter[str] = Counter()
    wrong = 0
    slowest = 0.0
    for number in range(given.count):
        kind = given.kind or KINDS[number % len(KINDS)]
        one = kill(kind, given.seed * 1000 + number)
        kinds[kind] += 1
        wrong += bool(one.wrong)
        slowest = max(slowest, one.seconds)
        done = sum("did" in line for line in one.lines)
        print(
            f"  {number + 1:3} {kind:7} {done:5} steps, all ended after {one.seconds:.1f} s{''.join(f'{chr(10)}    {words}' for words in one.wrong)}",
            flush=True,
        )
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    print(
        f"{given.count} kills ({told}); the last process ended {slowest:.1f} s after its window at most; {wrong} lost or left something"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
