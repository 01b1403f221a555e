"""Files of every version so far: plans, stories, journals, orders and sessions open with the figures that they had when they were written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests import written

VERSIONS = sorted((Path(__file__).parent / "data" / "written").iterdir())
KINDS = ("plans", "stories", "journals", "orders", "session")

pytestmark = pytest.mark.usefixtures("qapp")


def test_there_is_something_to_read() -> None:
    assert VERSIONS
    for folder in VERSIONS:
        figures = json.loads((folder / written.FIGURES).read_text())
        assert sorted(figures) == sorted(KINDS)
        assert set(figures["plans"]) == {path.name for path in (folder / "plans").iterdir()}
        assert len(figures["plans"]) >= 30 and len(figures["stories"]) >= 5 and len(figures["journals"]) >= 3
        machines = {plan["target"]["kind"] for plan in figures["plans"].values()}
        assert machines == {"pipeline", "pool", "edge-tpu", "mcm", "memory"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_figures_are_those_of_the_day_they_were_written(folder: Path, kind: str, tmp_path: Path) -> None:
    then = recounted(json.loads((folder / written.FIGURES).read_text())[kind])
    now = json.loads(json.dumps(written.figures_of(written.laid_out(folder, tmp_path / "copy"), (kind,))))[
        kind
    ]
    assert not list(lost(then, now, kind))


def recounted(then: Any) -> Any:
    """Without the times of stages that came to count, where bytes are planned for, what activations push out of a cache as well."""
    if isinstance(then, list):
        return [recounted(each) for each in then]
    if not isinstance(then, dict):
        return then
    target, objective = then.get("target"), str(then.get("objective", ""))
    bytes_alone = (
        isinstance(target, dict) and target.get("kind") == "edge-tpu" and objective.startswith("memory")
    )
    return {
        key: recounted(value)
        for key, value in then.items()
        if not (bytes_alone and key in ("streaming", "cost"))
    }


def lost(then: Any, now: Any, where: str) -> Any:
    """What is not as it was, a sentence each. Later versions may know more: keys that are new are no difference."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key not in now:
                yield f"{where}: {key} is gone"
            else:
                yield from lost(value, now[key], f"{where}: {key}")
    elif isinstance(then, list) and isinstance(now, list):
        if len(then) != len(now):
            yield f"{where}: {len(then)} entries were {then}, now {len(now)} are {now}"
        for i, (a, b) in enumerate(zip(then, now, strict=False)):
            yield from lost(a, b, f"{where}: {i}")
    elif isinstance(then, float) and isinstance(now, int | float) and not isinstance(now, bool):
        if not math.isclose(then, now, rel_tol=1e-9):
            yield f"{where}: {then!r} is {now!r}"
    elif then != now or type(then) is not type(now):
        yield f"{where}: {then!r} is {now!r}"


def test_a_difference_is_found() -> None:
    then = {"a": [1.0, {"b": "x"}], "c": True}
    assert not list(lost(then, {"a": [1.0 + 1e-12, {"b": "x"}], "c": True, "new": 1}, ""))
    for other in (
        {"a": [1.1, {"b": "x"}], "c": True},
        {"a": [1.0, {"b": "y"}], "c": True},
        {"a": [1.0]},
        {"c": 1},
    ):
        assert list(lost(then, other, ""))
