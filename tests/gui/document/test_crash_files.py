"""Records of unsaved work: those of the living are theirs, those of the dead are found, and what cannot be read is kept."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gui.document.crash_files import Damaged, create, left_behind, locked
from gui.document.network.autosave import lost_orders
from gui.document.plan.recovery import leftovers
from gui.tools.story.keeping import lost_stories

MAKES = """
import sys, time
from pathlib import Path
from gui.document.crash_files import create, left_behind
where, until = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2])
kept, offered = [], 0
while time.monotonic() < until:
    file, path = create(where)
    kept.append((file, path))
    offered += len(left_behind("journal", lambda path: None, where))  # who finds it deletes it
    if len(kept) > 40:
        file, path = kept.pop(0)
        assert path.exists(), path
        path.unlink()
        file.close()
assert all(path.exists() for _, path in kept), "a record of a living process was taken for a dead one's"
print(len(kept))
for file, path in kept:
    path.unlink()
"""


def test_processes_that_start_at_once_leave_each_other_alone(tmp_path: Path) -> None:
    three = [
        subprocess.Popen([sys.executable, "-c", MAKES, str(tmp_path), "1.5"], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    for one in three:
        out, _ = one.communicate(timeout=120)
        assert one.returncode == 0 and int(out) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_its_lock_before_its_name(tmp_path: Path) -> None:
    file, path = create(tmp_path, "story")
    other, beside = create(tmp_path, "story")
    assert locked(path) and locked(beside) and path != beside
    assert {one.name for one in tmp_path.iterdir()} == {path.name, beside.name}
    assert path.stat().st_mode & 0o777 == 0o600
    file.close()
    other.close()
    assert not locked(path)


def test_what_cannot_be_read_is_kept(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        raise Damaged

    (tmp_path / "journal-1.jsonl").write_bytes(b"\0\1\n")
    damaged: list[Path] = []
    assert left_behind("journal", read, tmp_path, damaged) == []
    assert damaged == [tmp_path / "journal-1.jsonl.damaged"] and damaged[0].read_bytes() == b"\0\1\n"
    assert left_behind("journal", read, tmp_path, damaged) == [] and len(damaged) == 1


@pytest.mark.parametrize(
    ("kind", "find"), [("journal", leftovers), ("orders", lost_orders), ("story", lost_stories)]
)
@pytest.mark.parametrize(
    "content", [b"\xff\xfe\n", b"[]\n", b'{"journal": 99}\n', b'{"journal": 1}\n{"step"', b"{}\n{}\n"]
)
def test_each_kind_keeps_what_it_cannot_read(tmp_path: Path, kind: str, find: object, content: bytes) -> None:
    file = tmp_path / f"{kind}-1.jsonl"
    file.write_bytes(content)
    damaged: list[Path] = []
    assert find(tmp_path, damaged) == []  # type: ignore[operator]
    left = sorted(path.name for path in tmp_path.iterdir())
    if content.startswith(b'{"journal": 1}') and kind == "journal":
        assert left == [], "no step was ever whole in it"
    else:
        assert left == [f"{kind}-1.jsonl.damaged"] and damaged[0].read_bytes() == content


def test_an_empty_journal_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "journal-1.jsonl").touch()
    damaged: list[Path] = []
    assert leftovers(tmp_path, damaged) == [] and damaged == [] and list(tmp_path.iterdir()) == []
