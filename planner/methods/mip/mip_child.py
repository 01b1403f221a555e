"""A MIP solver in a process of its own: HiGHS, or SCIP through OR-Tools. Run as a script; imports nothing of ours.

Standard input: one frame with the model (an ``.npz`` of the arrays of :class:`planner.methods.mip.model.Arrays` and a JSON text of
settings); its end of file is the request to stop. Standard output: frames, each a kind (one byte), a length (uint32) and
that many bytes: ``S`` a solution (objective, then a float64 per column), ``B`` a dual bound (float64), ``E`` the end and
``F`` a failure (JSON).
"""

from __future__ import annotations

import io
import json
import math
import os
import struct
import sys
import threading
import time
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

HEADER = struct.Struct("<cI")
MOST_PER_SECOND = 50
"""A callback that comes more often than this is not looked at for bounds."""


def read_frame(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """The next frame as (kind, payload), or None at the end of the stream."""
    head = stream.read(HEADER.size)
    if len(head) < HEADER.size:
        return None
    kind, length = HEADER.unpack(head)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None


def write_frame(stream: IO[bytes], kind: bytes, payload: bytes) -> None:
    """Write one frame and flush it."""
    stream.write(HEADER.pack(kind, len(payload)) + payload)
    stream.flush()


class Reports:
    """What the solver has to say, each better than the last; calls may come from any thread."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._lock = threading.Lock()
        self.objective = math.inf
        self.bound = -math.inf
        self.stopped = threading.Event()

    def solution(self, objective: float, values: np.ndarray) -> None:
        """Report a solution (float64[columns]) where it is the best so far."""
        with self._lock:
            if objective < self.objective:
                self.objective = objective
                payload = np.concatenate([[objective], np.asarray(values, np.float64)])
                write_frame(self._out, b"S", payload.tobytes())

    def dual(self, bound: float) -> None:
        with self._lock:
            if math.isfinite(bound) and bound > self.bound:
                self.bound = bound
                write_frame(self._out, b"B", struct.pack("<d", bound))

    def end(self, status: str) -> None:
        text = json.dumps({"status": status})
        with self._lock:
            write_frame(self._out, b"E", text.encode())

    def failure(self, sentence: str) -> None:
        with self._lock:
            write_frame(self._out, b"F", json.dumps(sentence).encode())


def run_highs(model: Mapping[str, Any], settings: Mapping[str, Any], reports: Reports) -> str:
    """Solve with HiGHS; returns the status."""
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(model["cost"]), len(model["row_lower"])
    lp.col_cost_, lp.offset_ = model["cost"], float(model["offset"])
    lp.col_lower_, lp.col_upper_ = model["lower"], model["upper"]
    lp.row_lower_, lp.row_upper_ = model["row_lower"], model["row_upper"]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = lp.num_col_, lp.num_row_
    lp.a_matrix_.start_, lp.a_matrix_.index_ = model["ptr"], model["idx"]
    lp.a_matrix_.value_ = model["value"]
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(i)] for i in model["integer"]]
    highs = highspy.Highs()
    highs.setOptionValue("log_to_console", False)
    highs.setOptionValue("threads", settings["threads"])
    highs.setOptionValue("random_seed", settings["seed"])
    highs.setOptionValue("mip_rel_gap", settings["gap"] or 0.0)  # its own default is not zero
    # What is at most this counts as zero (by default 1e-9), also in rows that presolve has scaled; solutions would be lost.
    highs.setOptionValue("small_matrix_value", 1e-12)
    if settings["seconds"] is not None:
        highs.setOptionValue("time_limit", settings["seconds"])
    if settings["nodes"] is not None:
        highs.setOptionValue("mip_max_nodes", settings["nodes"])
    highs.passModel(lp)
    if len(model["start_idx"]):
        highs.setSolution(len(model["start_idx"]), model["start_idx"], model["start_value"])

    def interrupted(event: Any) -> None:
        if reports.stopped.is_set():
            event.interrupt()

    def improving(event: Any) -> None:
        values = np.array(event.data_out.mip_solution)
        reports.solution(float(event.data_out.objective_function_value), values)

    for callback in (highs.cbMipInterrupt, highs.cbSimplexInterrupt, highs.cbIpmInterrupt):
        callback.subscribe(interrupted)
    highs.cbMipImprovingSolution.subscribe(improving)
    highs.cbMipLogging.subscribe(lambda event: reports.dual(float(event.data_out.mip_dual_bound)))
    highs.run()
    status = highs.getModelStatus()
    info = highs.getInfo()
    if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return "infeasible"
    if info.primal_solution_status == 2:
        reports.solution(float(info.objective_function_value), np.array(highs.getSolution().col_value))
    if status == highspy.HighsModelStatus.kOptimal:
        whole = not np.any(model["integer"])
        reports.dual(float(info.objective_function_value if whole else info.mip_dual_bound))
        return "optimal"
    return "feasible" if math.isfinite(reports.objective) else "unknown"


def run_scip(model: Mapping[str, Any], settings: Mapping[str, Any], reports: Reports) -> str:
    """Solve with SCIP as OR-Tools brings it; returns the status."""
    import datetime

    from ortools.math_opt.python import mathopt

    scip = mathopt.Model()
    columns = [
        scip.add_variable(lb=float(a), ub=float(b), is_integer=bool(i))
        for a, b, i in zip(model["lower"], model["upper"], model["integer"], strict=True)
    ]
    scip.minimize(
        mathopt.LinearSum(float(c) * v for c, v in zip(model["cost"], columns, strict=True) if c)
        + float(model["offset"])
    )
    ptr, idx, value = model["ptr"].tolist(), model["idx"].tolist(), model["value"].tolist()
    for row, (a, b) in enumerate(zip(model["row_lower"].tolist(), model["row_upper"].tolist(), strict=True)):
        constraint = scip.add_linear_constraint(lb=a, ub=b)
        for e in range(ptr[row], ptr[row + 1]):
            constraint.set_coefficient(
                columns[idx[e]], constraint.get_coefficient(columns[idx[e]]) + value[e]
            )
    hint = {columns[i]: float(x) for i, x in zip(model["start_idx"], model["start_value"], strict=True)}
    cost = np.asarray(model["cost"])

    looked = 0.0

    def found(data: Any) -> Any:
        nonlocal looked
        now = time.monotonic()
        stats = data.mip_stats
        if stats is not None and now - looked > 1 / MOST_PER_SECOND and stats.dual_bound is not None:
            looked = now
            reports.dual(float(stats.dual_bound))
        if data.solution is not None:
            # SCIP shows every candidate, those that it then rejects too.
            values = np.array([data.solution.get(v, 0.0) for v in columns])
            objective = float(cost @ values) + float(model["offset"])
            if objective < reports.objective and keeps_rows(model, values):
                reports.solution(objective, values)
        return mathopt.CallbackResult(terminate=reports.stopped.is_set())

    def logged(lines: list[str]) -> None:
        for line in lines:
            bound = dual_bound_of(line)
            if bound is not None:
                reports.dual(bound)

    parameters = mathopt.SolveParameters(threads=settings["threads"], random_seed=settings["seed"])
    if settings["gap"] is not None:
        parameters.relative_gap_tolerance = settings["gap"]
    if settings["seconds"] is not None:
        parameters.time_limit = datetime.timedelta(seconds=settings["seconds"])
    result = mathopt.solve(
        scip,
        mathopt.SolverType.GSCIP,
        params=parameters,
        model_params=mathopt.ModelSolveParameters(
            solution_hints=[mathopt.SolutionHint(variable_values=hint)] if hint else []
        ),
        msg_cb=logged,
        cb=found,
        callback_reg=mathopt.CallbackRegistration(events={mathopt.Event.MIP_SOLUTION}),
    )
    reason = result.termination.reason
    if reason in (mathopt.TerminationReason.INFEASIBLE, mathopt.TerminationReason.INFEASIBLE_OR_UNBOUNDED):
        return "infeasible"
    if result.has_primal_feasible_solution():
        values = result.variable_values()
        reports.solution(float(result.objective_value()), np.array([values[v] for v in columns]))
    reports.dual(float(result.termination.objective_bounds.dual_bound))
    if reason == mathopt.TerminationReason.OPTIMAL:
        return "optimal"
    return "feasible" if math.isfinite(reports.objective) else "unknown"


def keeps_rows(model: Mapping[str, Any], values: np.ndarray) -> bool:
    """Whether ``values`` (float64[n]) keep every row, up to the usual tolerance."""
    row = np.repeat(np.arange(len(model["row_lower"])), np.diff(model["ptr"]))
    sums = np.bincount(row, weights=model["value"] * values[model["idx"]], minlength=len(model["row_lower"]))
    slack = 1e-6 * np.maximum(1.0, np.abs(sums))
    return bool(np.all(sums >= model["row_lower"] - slack) and np.all(sums <= model["row_upper"] + slack))


def dual_bound_of(line: str) -> float | None:
    """The dual bound in a row of SCIP's table, or None."""
    cells = line.split("|")
    if len(cells) != 18:
        return None
    try:
        return float(cells[14])
    except ValueError:
        return None


def main() -> None:
    """Solve the model on standard input; end at once when nobody wants the answer any more."""
    # What the libraries print must not get between the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    frame = read_frame(sys.stdin.buffer)
    if frame is None:
        return
    reports = Reports(out)

    def watch() -> None:
        sys.stdin.buffer.read()
        reports.stopped.set()
        # The parent kills what does not listen; a parent that is gone cannot.
        time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    with np.load(io.BytesIO(frame[1]), allow_pickle=False) as loaded:
        model = {name: loaded[name] for name in loaded.files}
    settings = json.loads(bytes(model["settings"]))
    try:
        reports.end((run_highs if settings["solver"] == "highs" else run_scip)(model, settings, reports))
    except Exception as error:
        reports.failure(f"{type(error).__name__}: {error}")
    # The watching thread holds standard input: an orderly exit would wait for it.
    os._exit(0)


if __name__ == "__main__":
    main()
