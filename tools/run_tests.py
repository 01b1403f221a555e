"""Run the tests and hold the files of full_coverage.txt to their promise.

Two passes. The first is the suite as users run the product, on as many processes as there are cores. The second repeats the
tests marked ``coverage`` with numba switched off, since compiled kernels are invisible to coverage. It alone is measured: to
follow every call of the first takes a quarter of its time, and what those files promise is proved by the tests marked so.

With arguments, which go to pytest as they are, only the first pass runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from check_coverage import UnusableError, listed

ROOT = Path(__file__).resolve().parents[1]
NO_TESTS_COLLECTED = 5


def pytest(arguments: list[str], environment: dict[str, str], data_file: Path | None = None) -> int:
    """Run pytest in a process of its own and return its exit status."""
    command = [sys.executable, "-m", "pytest", *arguments]
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, **environment}
    # Containers often forbid byte code: every process that a test starts would compile all that it imports. It goes where
    # numba keeps what it compiles.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if data_file is not None:
        environment["COVERAGE_FILE"] = str(data_file)
        command += ["--cov", "--cov-report=", f"--cov-config={data_file.with_name('rc')}"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def processes() -> list[str]:
    """Return xdist's options; starting workers does not pay on a single core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return ["-n", str(min(cores, 8)), "--dist", "worksteal"] if cores > 1 else []


def marked() -> list[str]:
    """Return the test files in which something is marked ``coverage``: to collect all others takes longer than to run these."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(file) for file in files if "pytest.mark.coverage" in file.read_text("utf-8")]


def main(arguments: list[str]) -> int:
    if arguments:
        return pytest(arguments, {})
    build = ROOT / "build" / "coverage"
    build.mkdir(parents=True, exist_ok=True)
    for old in build.glob("data*"):
        old.unlink()

    # Only what is held to its promise is measured.
    try:
        files = listed((ROOT / "tools" / "full_coverage.txt").read_text(), ROOT)
    except UnusableError as error:
        print(f"run_tests: {error}", file=sys.stderr)
        return 2
    include = "".join(f"    {file}\n" for file in files)
    (build / "rc").write_text(f"[run]\ninclude =\n{include}")

    print("== the tests", flush=True)
    failed = pytest([*processes(), "-q"], {})
    if failed:
        return failed
    print("== the tests of what stays fully covered, once more without compiling", flush=True)
    measured = marked()
    if not measured:
        print("no test is marked `coverage`", file=sys.stderr)
        return NO_TESTS_COLLECTED
    plain = {"NUMBA_DISABLE_JIT": "1"}
    # Integers that wrap around do so silently in compiled code, and with a warning from numpy otherwise.
    quiet = ["-W", "ignore:overflow encountered:RuntimeWarning"]
    failed = pytest([*processes(), "-q", "-m", "coverage", *quiet, *measured], plain, build / "data.plain")
    if failed:
        return failed
    print("== coverage", flush=True)
    return subprocess.run(
        [sys.executable, "tools/check_coverage.py", str(build)], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
