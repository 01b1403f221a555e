"""Write `assets/examples`: the best contiguous and the best non-contiguous plan of a BERT of three layers, both proven optimal.

    python tools/make_examples.py
    python tools/make_examples.py PATH/TO/OperatorGraphs/bert_l-3_inference.json

Without an argument for `sample_models/bert_3.json` on two accelerators and a CPU; with one for the profiled graph of the device
placement paper's workloads (throughput), on the machine that the file brings along. The dynamic program over ideals solves
the first, the integer program the second; a plan that is not proven optimal is not written. Names of ops are left out: ids say
which op it is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from planner.files import write_atomically  # noqa: E402
from planner.formats import read_models  # noqa: E402
from planner.machines.catalogue import planner  # noqa: E402
from planner.machines.spec import parse_target  # noqa: E402
from planner.model.graph import Graph  # noqa: E402
from planner.model.samples import sample  # noqa: E402
from planner.plan_files.plan_json import to_dict  # noqa: E402
from planner.problem.problem import Problem  # noqa: E402
from planner.reports.comparison.example import MODEL, plan_files  # noqa: E402
from planner.search.run import plan_of, run  # noqa: E402
from planner.search.stop import TimeLimit  # noqa: E402

SECONDS = 600.0
"""A search that has proven nothing by then will not."""
PAIR: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("Best contiguous split", "contiguous=true", "ideals-dp", {}),
    ("Best non-contiguous split", "contiguous=false", "max-load-ip", {"solver": "highs", "workers": 1}),
)
"""Name, rule, planner and options of the two plans."""


def make(graph: Graph, target: str) -> None:
    """Find, prove and write both plans. Raises SystemExit where one is not proven optimal."""
    for path, (name, rule, method, options) in zip(plan_files(graph.name), PAIR, strict=True):
        problem = Problem(graph, parse_target(f"{target},{rule}", graph))
        result = run(planner(method), problem, TimeLimit(SECONDS), options=options)
        if result.status != "optimal":
            raise SystemExit(f"{method} proved no plan of {graph.name} optimal in {SECONDS:.0f} s")
        plan = plan_of(result, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        bound = problem.strongest_bound(result.bounds)
        write_atomically(path, text(to_dict(plan, () if bound is None else (bound,))))
        print(f"wrote {path.relative_to(ROOT)}: {plan.objective:.6g}, proven optimal")


def text(plan: dict[str, Any]) -> str:
    """The plan file with one line for each op, and without the ops' names."""
    ops = [{"id": op["id"], "device": op["device"]} for op in plan["decision"]["ops"]]
    marker = "@ops@"
    whole = json.dumps(
        {**plan, "decision": {**plan["decision"], "ops": marker}}, indent=1, ensure_ascii=False
    )
    lines = ",\n".join("   " + json.dumps(op, ensure_ascii=False) for op in ops)
    return whole.replace(json.dumps(marker), "[\n" + lines + "\n  ]") + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Make the pair of the sample model, or of the file that is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path, help="the profiled BERT-3 of the paper's workloads")
    args = parser.parse_args(argv)
    if args.model is None:
        make(read_models([sample(MODEL)]), "pool:2+1")
    else:
        make(read_models([args.model]), "pool")
    return 0


if __name__ == "__main__":
    sys.exit(main())
