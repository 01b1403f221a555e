"""The documentation is true: its commands run and print what it shows, its tables agree with the code, its links lead somewhere."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from gui.app.launch import main
from planner.cli import COMMANDS
from planner.cli.export import FOLDERS
from planner.formats import FORMATS
from planner.machines.catalogue import bound_methods, machines, planners
from planner.machines.spec import kinds
from planner.model.cost_model import rate_fields
from planner.quantity import parse_quantity

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMPARE = """
whole = {"branchy_int8": "branchy_int8.tflite", "fpn_detector": "fpn_detector.onnx"}[model["name"]]
if whole.endswith(".onnx"):
    session = onnxruntime.InferenceSession("sample_models/" + whole)
    expected = session.run(model["outputs"], {"image": tensors["image"]})
else:
    device = Interpreter("sample_models/" + whole, experimental_op_resolver_type=plain)
    device.allocate_tensors()
    device.set_tensor(device.get_input_details()[0]["index"], tensors["image"])
    device.invoke()
    expected = [device.get_tensor(place["index"]) for place in device.get_output_details()]
for value, (name, found) in zip(expected, outputs.items(), strict=True):
    assert value.shape == found.shape and value.dtype == found.dtype, name
    same = np.array_equal if value.dtype == np.int8 else np.allclose
    assert same(value, found), name
"""
EDITED, DRAGGED = "edited.plan.json", "/encoder/layer.5/attention/Softmax"
SECONDS = re.compile(r"\b\d+(?:\.\d+)? s\b")


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


# ---------------------------------------------------------------------- commands
def transcripts(text: str) -> list[tuple[list[str], int, list[str]]]:
    """Every command of the fenced console blocks: its arguments, exit status, and the lines it is said to print."""
    found: list[tuple[list[str], int, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            if line.startswith("$ "):
                status = re.search(r"#\s*exit (\d)", line)
                words = shlex.split(line[2:], comments=True)
                assert words[0] == "stageboard", line
                found.append((words[1:], int(status[1]) if status else 0, []))
            else:
                found[-1][2].append(line)
    return found


def edit_by_hand(plan: Path, edited: Path) -> None:
    """What the README says was dragged in the window: one op of a plan of ``transformer_encoder.onnx``, to chip 4."""
    from planner.formats import read_model
    from planner.plan_files.plan_json import read_plan, write_plan

    graph = read_model(ROOT / "sample_models" / "transformer_encoder.onnx")
    made, bounds = read_plan(plan, graph)
    device_of = made.decision.device_of.copy()
    device_of[graph.find(DRAGGED)] = 4
    write_plan(edited, made.problem.plan(device_of, made.provenance, made.name), bounds)


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines are those shown; ``...`` stands for any number of lines, durations may differ."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(SECONDS.sub("# s", line)) + r"\n" for line in shown
    )
    text = "".join(SECONDS.sub("# s", line) + "\n" for line in printed)
    return re.fullmatch(pattern, text) is not None


@pytest.mark.parametrize(
    "path", [p for p in PAGES if "```console" in p.read_text("utf-8")], ids=lambda p: p.name
)
def test_the_commands_run_and_print_what_is_shown(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], qapp: Any
) -> None:
    (tmp_path / "sample_models").symlink_to(ROOT / "sample_models")
    monkeypatch.chdir(tmp_path)
    commands = transcripts(path.read_text("utf-8"))
    assert commands
    for arguments, expected, shown in commands:
        if EDITED in arguments and not Path(EDITED).exists():
            edit_by_hand(Path("encoder.plan.json"), Path(EDITED))
        status = main(arguments)
        streams = capsys.readouterr()
        assert status == expected, f"{arguments}: {streams.err}"
        # A terminal shows both streams; why a command failed is said on the second.
        printed = streams.out + streams.err if expected else streams.out
        if shown:
            assert agrees(shown, printed.splitlines()), f"{arguments} prints\n{printed}"


def test_the_scripts_that_run_exported_stages_give_the_whole_models_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sample_models").symlink_to(ROOT / "sample_models")
    monkeypatch.chdir(tmp_path)
    text = page("docs/exports.md")
    for arguments, status, _ in transcripts(text):
        stages = arguments[0] == "export" and set(FOLDERS) & set(arguments)
        assert main([*arguments, *(["--no-check"] if stages else [])]) == status
    scripts = re.findall(r"^```python\n(import .*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(scripts) == 2
    # The runtimes start threads that never end, so each script runs in a process of its own.
    for script in scripts:
        assert len(script.splitlines()) < 20
        done = subprocess.run(
            [sys.executable, "-c", script + COMPARE], check=False, capture_output=True, text=True, timeout=120,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_wrong_transcript_would_be_noticed() -> None:
    assert agrees(["a", "...", "c  1.5 s"], ["a", "b", "b", "c  0.2 s"])
    assert not agrees(["a", "c"], ["a", "b", "c"])
    assert not agrees(["a  1.5 ms"], ["a  1.6 ms"])


# ---------------------------------------------------------------------- links and pictures
@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_links_lead_to_files_that_exist(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (path.parent / target).exists(), target


def test_every_picture_is_shown_or_linked_somewhere_and_every_one_shown_exists() -> None:
    shown = {
        (path.parent / name).resolve()
        for path in PAGES
        for names in re.findall(
            r"\]\(([^)]*images/[^)]+)\)|src(?:set)?=\"([^\"]+)\"", path.read_text("utf-8")
        )
        for name in names
        if name
    }
    assert shown == {path.resolve() for path in (ROOT / "docs" / "images").iterdir()}


def test_every_page_of_the_documentation_is_in_its_index_and_in_the_sites_menu() -> None:
    index = re.findall(r"^\| \[[^\]]+\]\(([\w-]+\.md)\) \| .+ \|$", page("docs/index.md"), re.MULTILINE)
    menu = re.findall(r"^    - ([\w-]+\.md)$", page("mkdocs.yml"), re.MULTILINE)
    assert index == menu and len(set(menu)) == len(menu)
    assert {*menu, "index.md"} == {path.name for path in PAGES[1:]}
    assert "docs/index.md" in page("README.md")


def test_the_readme_stays_short() -> None:
    assert len(page("README.md")) < 8400


def test_the_messages_that_troubleshooting_explains_are_said_somewhere() -> None:
    """In quotes or in an f-string; ``…`` stands for what differs."""
    texts = [
        path.read_text("utf-8")
        for room in ("planner", "gui", "tools")
        for path in (ROOT / room).rglob("*.py")
    ]
    # Sentences are written over several lines of code, in parts that Python joins.
    said = "\n".join(re.sub(r'"\s*\n\s*f?"', "", text) for text in texts)
    messages = re.findall(r"^### `(.+)`$", page("docs/troubleshooting.md"), re.MULTILINE)
    assert len(messages) > 12
    for message in messages:
        for part in (part.strip(" ';") for part in message.split("…")):
            assert part in said, message


# ---------------------------------------------------------------------- tables
def rows(text: str) -> list[list[str]]:
    """The cells of all table rows."""
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|") and not set(line) <= set("|-: ")
    ]


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_parameter_of_a_target_is_documented_with_its_default(kind: str) -> None:
    text = page("docs/targets.md").split(f"## `{kind}:")[1].split("\n## ")[0]
    documented = {row[0].strip("`"): row[1].strip("`") for row in rows(text) if row[0].startswith("`")}
    declared = {f.name: f.default for f in fields(kinds()[kind])}  # type: ignore[arg-type]
    assert set(documented) == set(declared)
    for name, default in declared.items():
        said: Any = documented[name]
        if isinstance(default, bool):
            assert said == str(default).lower(), name
        elif isinstance(default, (int, float)):
            assert parse_quantity(said) == default or (math.isinf(default) and said == "inf"), name
        else:
            assert said == default, name


def test_every_objective_and_rule_is_documented() -> None:
    text = page("docs/targets.md")
    for cls in kinds().values():
        assert all(f"`{objective}`" in text for objective in cls.objectives)
    for rule in (
        "order",
        "memory",
        "support",
        "together",
        "contiguous",
        "shared_children",
        "no_skip",
        "triangle",
        "every_chip",
    ):
        assert f"**{rule}**" in text


def test_every_planner_is_documented() -> None:
    table = rows(page("docs/planners.md"))
    entries = {row[0].strip("`"): row for row in table if len(row) == 5}
    for name, planner in planners().items():
        assert set(entries[name][1].split(", ")) == set(planner.targets), name
        said = set(filter(None, entries[name][2].replace("pins", "pin").split(", ")))
        assert said == set(planner.honours), name
    assert set(entries) - {"planner"} == set(planners())
    options = {(row[0].strip("`"), row[1].strip("`")): row[2] for row in table if len(row) == 4}
    for name, planner in planners().items():
        for option in planner.options:
            assert options[name, option.name] == str(option.default)
    for name in bound_methods():
        assert f"| `{name}` |" in page("docs/planners.md")


@pytest.mark.parametrize(("field", "section"), [("preferred", 0), ("unasked", 1), ("preferred_bounds", 2)])
def test_the_order_in_which_a_method_is_chosen_is_the_one_documented(field: str, section: int) -> None:
    text = page("docs/planners.md").split("| target | in this order |")[1 + section]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", text.split("\n\n")[0], re.MULTILINE)
    said = {kind: re.findall(r"`([\w-]+)`", names) for kind, names in rows}
    assert said == {kind: list(names) for kind, e in machines().items() if (names := getattr(e, field))}


def test_every_format_is_documented() -> None:
    text = page("docs/formats.md")
    for form in FORMATS:
        assert all(f"`{suffix}`" in text for suffix in form.suffixes), form.name
    from planner.cli.export import formats

    assert all(f"| `{name}` |" in text for name in formats())


def test_the_graph_in_the_documentation_can_be_opened(tmp_path: Path) -> None:
    from planner.formats import read_model

    block = re.search(r"^```json\n(.*?)^```", page("docs/formats.md"), re.DOTALL | re.MULTILINE)
    assert block is not None
    file = tmp_path / "tiny.json"
    file.write_text(block[1])
    graph = read_model(file)
    assert graph.n == 2 and graph.profiled and graph.warnings == ()


def test_the_toml_files_in_the_documentation_can_be_read(tmp_path: Path) -> None:
    from planner.cli.inputs import cost_model
    from planner.machines.pool.target import DevicePool
    from planner.machines.spec import parse_target

    files = []
    for name in ("targets", "cost-model"):
        block = re.search(r"^```toml\n(.*?)^```", page(f"docs/{name}.md"), re.DOTALL | re.MULTILINE)
        assert block is not None
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(block[1])
    target = parse_target(str(files[0]))
    assert isinstance(target, DevicePool) and target.memory == 16 * 2**30 and not target.contiguous
    model = cost_model([str(files[1])])
    assert model is not None and model.accelerator_bandwidth == 900e9


def test_the_sweep_in_the_documentation_can_be_read(tmp_path: Path) -> None:
    from planner.runs.sweep.spec import read_sweep

    (tmp_path / "sample_models").symlink_to(ROOT / "sample_models")
    block = re.search(r"^```toml\n(.*?)^```", page("docs/command-line.md"), re.DOTALL | re.MULTILINE)
    assert block is not None
    (tmp_path / "sweep.toml").write_text(block[1])
    runs = read_sweep(str(tmp_path / "sweep.toml"))
    assert {run.method for run in runs} == {"slice", "slice-random", "simple"}


def test_every_rate_of_the_cost_model_is_documented() -> None:
    entries = {row[0].strip("`"): row[1] for row in rows(page("docs/cost-model.md"))}
    for f in rate_fields():
        assert float(entries[f.name].split()[0]) == f.default
        assert entries[f.name].split()[1] == f.metadata["unit"]


def test_every_command_is_documented() -> None:
    from gui.app.launch import DRAWING

    text = page("docs/command-line.md")
    assert all(f"`{command.name}" in text for command in (*COMMANDS, *DRAWING))


def test_the_fields_of_plan_are_documented() -> None:
    from tests.planner.cli.calling import DEVICE_FIELDS, PLAN_FIELDS

    text = page("docs/command-line.md")
    assert all(f"`{name}`" in text for name in PLAN_FIELDS | DEVICE_FIELDS)


def test_the_fields_of_objectives_of_several_components_are_documented(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = page("docs/command-line.md")
    sample = str(ROOT / "sample_models" / "branchy_int8.tflite")
    assert main(["plan", sample, "--target", "edge-tpu:2", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert main(["bound", sample, "--target", "edge-tpu:2", "--json"]) == 0
    bound = json.loads(capsys.readouterr().out)
    assert set(plan["bounds"]) == set(plan["components"]) and plan["figures"] and bound["further"]
    proofs = next(iter(plan["bounds"].values()))
    for fields_of in (plan, plan["figures"], plan["devices"][0], proofs, bound, bound["further"][0]):
        assert all(f"`{name}`" in text for name in fields_of), set(fields_of)


def test_the_fields_of_networks_are_documented(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = page("docs/command-line.md")
    sample, plan = str(ROOT / "sample_models" / "mlp_100.npz"), str(tmp_path / "plan.json")
    order = ["--target", "memory:50", "--planner", "theorem-1", "-o", plan]
    told: dict[str, Any] = {}
    for command in (
        ["info", sample], ["plan", sample, *order], ["repair", sample, plan, "-o", str(tmp_path / "new.json")],
        ["infer", sample, plan, "--seconds", "0.01"], ["render", sample, plan, "-o", str(tmp_path / "x.svg")],
        ["generate", "chain", "--set", "memory=3", "-o", str(tmp_path / "chain.npz")],
    ):  # fmt: skip
        assert main([*command, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        told |= found | found.get("ios", {}) | found.get("least_memory", {}) | (found.get("ways") or [{}])[0]
    for name in told:
        assert re.search(rf"[`,{{\[ ]{name}[`,}}\[{{ ]", text), name


def test_the_keys_of_a_networks_window_are_those_documented() -> None:
    from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE

    known = {key for action in NETWORK_ACTIONS for key in action.shortcut}
    for _, entries in NETWORK_ELSEWHERE:
        known |= {key for keys, _ in entries for key in keys.split(", ")}
    named = re.findall(r"`((?:(?:Ctrl|Alt|Shift)\+)+\w+|[A-Z]|Space)`", page("docs/network-window.md"))
    assert len(named) > 9 and set(named) <= known


def test_the_keys_of_all_editors_are_those_documented() -> None:
    """Each key of the table is one of the editor of graphs, which has all of these commands."""
    from gui.editors.plan.actions import ACTIONS

    known = {key for action in ACTIONS for key in action.shortcut}
    rows = re.findall(r"^\| (`.*?`[^|]*) \| .* \|$", page("docs/window.md"), re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`([^`]+)`", row)} - {"F10", "Alt"}
    assert len(named) > 20 and named <= known, named - known


@pytest.mark.parametrize("part", ["Graphs", "Networks", "Comparisons"])
def test_the_keys_of_the_keyboard_page_are_those_of_the_editors(part: str) -> None:
    from gui.editors.comparison.actions import COMPARE_ACTIONS
    from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE
    from gui.editors.plan.actions import ACTIONS, ELSEWHERE

    specs: Any = {"Graphs": ACTIONS, "Networks": NETWORK_ACTIONS, "Comparisons": COMPARE_ACTIONS}[part]
    known = {key for spec in specs for key in spec.shortcut} | {"Shift", "Return"}
    elsewhere: Any = {"Graphs": ELSEWHERE, "Networks": NETWORK_ELSEWHERE, "Comparisons": ()}[part]
    known |= {key for _, entries in elsewhere for keys, _ in entries for key in keys.split(", ")}
    section = page("docs/keyboard.md").partition(f"## {part}\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([^`]+)`", section))
    assert len(named) > 9 and named <= known, named - known


def test_the_keys_of_the_walk_are_those_of_some_editor() -> None:
    from gui.editors.comparison.actions import COMPARE_ACTIONS
    from gui.editors.network.actions import NETWORK_ACTIONS, NETWORK_ELSEWHERE
    from gui.editors.plan.actions import ACTIONS, ELSEWHERE

    known = {key for spec in (*ACTIONS, *NETWORK_ACTIONS, *COMPARE_ACTIONS) for key in spec.shortcut}
    elsewhere = (*ELSEWHERE, *NETWORK_ELSEWHERE)
    known |= {key for _, entries in elsewhere for keys, _ in entries for key in keys.split(", ")}
    walk = page("docs/keyboard.md").partition("## A walk\n")[2]
    named = set(re.findall(r"`([^`]+)`", walk)) - {"stageboard", "Return", "Tab", "Down", "Esc"}
    assert len(named) > 15 and named <= known, named - known


def test_the_keys_of_the_first_ten_minutes_are_those_of_the_window() -> None:
    from gui.editors.plan.actions import ACTIONS

    keys = {spec.id: spec.shortcut for spec in ACTIONS}
    for id, key in (
        ("view.flow", "F"), ("view.lanes", "L"), ("view.stages", "Shift+S"), ("view.fold_all", "Ctrl+Shift+G"), ("edit.move", "M"), ("edit.undo", "Ctrl+Z"), ("edit.pin", "P"),
        ("plan.start", "Ctrl+Return"), ("file.save", "Ctrl+S"), ("file.export.picture", "Ctrl+E"),
        ("help.palette", "Ctrl+Shift+P"), ("plan.repair", "Ctrl+R"), ("plan.counts", "Ctrl+Shift+T"),
    ):  # fmt: skip
        assert key in keys[id]
        assert f"`{key}`" in page("docs/first-minutes.md")


# ---------------------------------------------------------------------- places in the code
@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_the_files_that_the_documentation_names_exist(path: Path) -> None:
    named = re.findall(
        r"`((?:planner|gui|tests|tools|docs|benchmarks|sample_models)/[\w./{},-]*)`",
        path.read_text("utf-8"),
    )
    assert len(named) > 30 or path.name != "architecture.md"
    for name in named:
        base, brace, rest = name.partition("{")
        names = (
            [base + part + rest.partition("}")[2] for part in rest.partition("}")[0].split(",")]
            if brace
            else [name]
        )
        for each in names:
            assert (ROOT / each).exists(), each


def test_who_takes_devices_for_alike_is_documented() -> None:
    """Both columns are what the methods say themselves."""
    from planner.machines.pool.latency.solving import unequal_cpus
    from planner.machines.pool.target import DevicePool
    from planner.model.graph import Graph, Op
    from planner.problem.problem import Problem

    section = page("docs/planners.md").partition("## Unequal devices")[2].partition("\n## ")[0]
    row = rows(section)[-1]
    problem = Problem(
        Graph.build("one", [Op("a", "a", work=1.0, work_cpu=1.0)], []),
        DevicePool(1, 2, speed=(1.0, 1.0, 0.5)),
        "latency",
    )
    for name in re.findall(r"`([a-z-]+)`", row[0]):
        sentence = unequal_cpus(problem, name)
        assert sentence is not None and name in sentence
        assert re.findall(r"[a-z]+-[a-z]+", sentence.partition("choose")[2]) == re.findall(
            r"`([a-z-]+)`", row[3]
        )
