"""Fail where a file listed in full_coverage.txt has lines that no test ran.

    python tools/check_coverage.py FOLDER

FOLDER holds the data files (data.*) that run_tests.py leaves. Exit status: 0 all covered, 1 lines are missed,
2 the list or the data cannot be used.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from coverage import Coverage
from coverage.exceptions import CoverageException

ROOT = Path(__file__).resolve().parents[1]


class UnusableError(Exception):
    """The list or the data cannot be used; the text says why."""


def listed(text: str, root: Path) -> list[Path]:
    """Expand the list's patterns; one that names no file is an error, or a renamed file would escape its promise."""
    files: set[Path] = set()
    for line in text.splitlines():
        pattern = line.partition("#")[0].strip()
        if not pattern:
            continue
        found = [path for path in root.glob(pattern) if path.is_file()]
        if not found:
            raise UnusableError(f"full_coverage.txt: {pattern} names no file; correct or remove the line")
        files.update(found)
    return sorted(files)


def runs(lines: list[int]) -> str:
    """Write line numbers shortly: 3, 7-9."""
    parts = []
    for _, group in groupby(enumerate(lines), key=lambda pair: pair[1] - pair[0]):
        block = [line for _, line in group]
        parts.append(str(block[0]) if len(block) == 1 else f"{block[0]}-{block[-1]}")
    return ", ".join(parts)


def missed(coverage: Coverage, files: list[Path]) -> dict[Path, list[int]]:
    """Map each file to the executable lines that no test ran; fully covered files are left out.

    Lines are judged as in coverage's own report: ``# pragma: no cover`` and ``exclude_also`` hold.
    """
    found = {path: coverage.analysis2(str(path))[3] for path in files}
    return {path: lines for path, lines in found.items() if lines}


def main(arguments: list[str], root: Path = ROOT) -> int:
    try:
        if len(arguments) != 1:
            raise UnusableError("give the folder that holds the coverage data")
        folder = Path(arguments[0])
        parts = sorted(folder.glob("data.*"))
        if not parts:
            raise UnusableError(f"{folder} holds no coverage data; run `make test`")
        files = listed((root / "tools" / "full_coverage.txt").read_text(), root)
        coverage = Coverage(data_file=str(folder / "combined"), config_file=str(root / "pyproject.toml"))
        coverage.combine([str(part) for part in parts], keep=True)
        coverage.save()
        lacking = missed(coverage, files)
    except (UnusableError, CoverageException) as error:
        print(f"check_coverage: {error}", file=sys.stderr)
        return 2
    for path, lines in lacking.items():
        print(f"{path.relative_to(root)}: no test runs line {runs(lines)}")
    print(f"{len(files) - len(lacking)} of {len(files)} listed files are fully covered")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
