"""The two commands a newcomer types: what they look for, install, refuse and remember."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def tool(name: str) -> ModuleType:
    """Load a script from tools/, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bootstrap = tool("bootstrap")
check_coverage = tool("check_coverage")
pins = tool("pins")
lowest = tool("lowest")


def missing(
    environment: dict[str, str], window: bool, lacking: frozenset[str] = frozenset(), **have: object
) -> tuple[list[str], list[str]]:
    """Ask what is missing on a machine that has everything but ``lacking`` and what ``have`` changes."""
    answers = {
        "loads": lambda library: library not in lacking,
        "has_fonts": lambda: True,
        "has_venv": lambda: True,
        "which": lambda program: f"/usr/bin/{program}",
    }
    return bootstrap.missing_packages(environment, window, **(answers | have))


# --------------------------------------------------------------------------------------------- system packages


def test_a_complete_machine_lacks_nothing() -> None:
    assert missing({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, window=True) == ([], [])


def test_libraries_are_asked_for_by_the_package_that_brings_them() -> None:
    assert missing({}, False, frozenset({"libEGL.so.1", "libdbus-1.so.3"})) == (
        ["libegl1", "libdbus-1-3"],
        [],
    )


def test_a_bare_machine_gets_what_the_notes_list() -> None:
    everything = frozenset(bootstrap.QT_LIBRARIES)
    needed, good = missing({}, True, everything, has_fonts=lambda: False, which=lambda program: None)
    assert set(needed) == {
        *("libegl1", "libgl1", "libx11-6", "libxkbcommon0", "libfontconfig1", "libfreetype6"),
        *("libdbus-1-3", "libglib2.0-0", "fonts-dejavu-core"),
    }
    assert good == ["graphviz"]


def test_window_libraries_are_needed_only_for_a_window_on_that_kind_of_display() -> None:
    lacking = frozenset({"libxcb-cursor.so.0", "libwayland-client.so.0"})
    assert missing({}, True, lacking) == ([], [])
    assert missing({"DISPLAY": ":0"}, False, lacking) == ([], [])
    assert missing({"DISPLAY": ":0"}, True, lacking) == (["libxcb-cursor0"], [])
    assert missing({"WAYLAND_DISPLAY": "wayland-0"}, True, lacking) == (["libwayland-client0"], [])


def test_debian_splits_venv_from_python() -> None:
    needed, _ = missing({}, False, has_venv=lambda: False)
    assert needed == [f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"]


def test_probe_tells_present_from_absent() -> None:
    assert bootstrap.loads("libc.so.6") or not sys.platform.startswith("linux")
    assert not bootstrap.loads("libstageboard-no-such-thing.so.9")


def machine(
    monkeypatch: pytest.MonkeyPatch, needed: list[str], good: list[str], as_root: list[str] | None
) -> list[list[str]]:
    """Pretend to be a Debian machine that lacks these packages; return the list that installs are noted in."""
    installed: list[list[str]] = []

    def install(packages: list[str], words: list[str]) -> bool:
        assert words == as_root
        installed.append(packages)
        return True

    monkeypatch.setattr(bootstrap, "missing_packages", lambda environment, window: (needed, good))
    monkeypatch.setattr(bootstrap, "privilege", lambda: as_root)
    monkeypatch.setattr(bootstrap, "install_system_packages", install)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    return installed


@pytest.mark.parametrize("as_root", [[], ["/usr/bin/sudo", "-n"]])
def test_installs_where_it_may_and_says_what(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_root: list[str]
) -> None:
    installed = machine(monkeypatch, ["libegl1"], ["graphviz"], as_root)
    bootstrap.ensure_system({}, window=False)
    assert installed == [["libegl1", "graphviz"]]
    assert capsys.readouterr().out == "Installing system packages: libegl1 graphviz\n"


def test_otherwise_prints_the_one_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = machine(monkeypatch, ["libegl1", "libgl1"], ["graphviz"], None)
    with pytest.raises(bootstrap.SetUpError) as error:
        bootstrap.ensure_system({}, window=False)
    last_line = str(error.value).splitlines()[-1].strip()
    assert last_line == "sudo apt-get install --no-install-recommends libegl1 libgl1 graphviz"
    assert installed == []


def test_graphviz_alone_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(monkeypatch, [], ["graphviz"], None)
    bootstrap.ensure_system({}, window=False)
    assert "sudo apt-get install --no-install-recommends graphviz" in capsys.readouterr().out


def test_a_failed_installation_stops_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, ["libegl1"], [], [])
    monkeypatch.setattr(bootstrap, "install_system_packages", lambda packages, words: False)
    with pytest.raises(bootstrap.SetUpError, match="libegl1"):
        bootstrap.ensure_system({}, window=False)


def test_without_apt_the_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, ["libegl1"], [], [])
    monkeypatch.setattr(bootstrap.shutil, "which", lambda program: None)
    with pytest.raises(bootstrap.SetUpError, match=r"called on your system.*libegl1"):
        bootstrap.ensure_system({}, window=False)


def test_package_lists_are_fetched_when_the_first_try_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    fake = tmp_path / "apt-get"
    # Fails until `update` has been called, as apt does on a machine without package lists.
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\ncase "$*" in *update*) exit 0;; esac\ngrep -q update {log}\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert bootstrap.install_system_packages(["libegl1"], [])
    assert [
        ("update" if "update" in line else line.split()[-1]) for line in log.read_text().splitlines()
    ] == [
        "libegl1",
        "update",
        "libegl1",
    ]


# ----------------------------------------------------------------------------------------- virtual environment


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the two files that say what is installed."""
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    return tmp_path


class Recorder:
    """An Environment that only notes what it would install."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
        self.calls: list[list[str]] = []
        self.cleared = 0
        self.fail = False
        self.environment = bootstrap.Environment(checkout)
        monkeypatch.setattr(self.environment, "_pip", self._pip)
        monkeypatch.setattr(bootstrap.venv, "EnvBuilder", lambda **options: self)

    def create(self, folder: Path) -> None:
        self.cleared += 1
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        python = folder / "bin" / "python"
        python.unlink(missing_ok=True)
        python.write_text("#!/bin/sh\nexit 0\n")
        python.chmod(0o755)
        (folder / ".unfinished").unlink(missing_ok=True)

    def _pip(self, words: list[str]) -> None:
        if self.fail:
            raise bootstrap.SetUpError("no network")
        self.calls.append(words)


def test_a_second_call_installs_nothing(monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
    recorder = Recorder(monkeypatch, checkout)
    assert not recorder.environment.is_ready(dev=False)
    recorder.environment.make(dev=False)
    assert recorder.environment.is_ready(dev=False)
    assert recorder.calls[-1][-1] == "."


def test_the_development_tools_are_added_and_serve_both(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    recorder = Recorder(monkeypatch, checkout)
    recorder.environment.make(dev=False)
    assert not recorder.environment.is_ready(dev=True)
    recorder.environment.make(dev=True)
    assert recorder.calls[-1][-1] == ".[dev]"
    assert recorder.environment.is_ready(dev=True) and recorder.environment.is_ready(dev=False)
    assert recorder.cleared == 1


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_changed_pins_are_installed(monkeypatch: pytest.MonkeyPatch, checkout: Path, name: str) -> None:
    recorder = Recorder(monkeypatch, checkout)
    recorder.environment.make(dev=True)
    with open(checkout / name, "a") as file:
        file.write("\n# changed\n")
    assert not recorder.environment.is_ready(dev=True)


def test_an_interrupted_installation_begins_anew(monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
    recorder = Recorder(monkeypatch, checkout)
    recorder.environment.make(dev=False)
    recorder.fail = True
    with pytest.raises(bootstrap.SetUpError):
        recorder.environment.make(dev=True)
    assert not recorder.environment.is_ready(dev=False)
    recorder.fail = False
    recorder.environment.make(dev=False)
    assert recorder.cleared == 2
    assert recorder.environment.is_ready(dev=False)


def test_a_half_made_environment_is_made_anew(monkeypatch: pytest.MonkeyPatch, checkout: Path) -> None:
    recorder = Recorder(monkeypatch, checkout)
    (checkout / ".venv" / "bin").mkdir(parents=True)
    broken = checkout / ".venv" / "bin" / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    recorder.environment.make(dev=False)
    assert recorder.cleared == 1


def test_modules_have_bytecode_even_where_python_keeps_none(
    monkeypatch: pytest.MonkeyPatch, checkout: Path
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    for package in bootstrap.OWN_PACKAGES:
        assert (ROOT / package / "__init__.py").is_file()
        (checkout / package).mkdir()
        (checkout / package / "__init__.py").write_text("x = 1\n")
    environment = bootstrap.Environment(checkout)
    environment.python = Path(sys.executable)
    environment.compile_modules()
    assert len(list(checkout.rglob("__init__.*.pyc"))) == len(bootstrap.OWN_PACKAGES)


def test_a_folder_that_cannot_be_written_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout / ".venv").write_text("in the way")
    monkeypatch.setattr(bootstrap, "ROOT", checkout)
    monkeypatch.setattr(bootstrap, "ensure_system", lambda environment, window: None)
    assert bootstrap.main([]) == 1
    assert re.fullmatch(r"The virtual environment \S+ could not be made: .+\n", capsys.readouterr().err)


def test_a_phase_says_how_long_it_took_where_that_is_worth_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with bootstrap.phase("Nothing"):
        pass
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(bootstrap, "SHORTEST", 0.0)
    with bootstrap.phase("Packages"):
        pass
    assert re.fullmatch(r"Packages: \d+ s \(\d+ s of processor time\)\n", capsys.readouterr().out)


def test_only_who_needs_all_kernels_waits_for_them() -> None:
    commands = {}
    for block in (ROOT / "Makefile").read_text().split("\n\n"):
        if call := re.search(r"^(\w+):[^\n]*\n\t@\$\(PYTHON\) tools/bootstrap.py(.*)", block):
            commands[call[1]] = "--kernels" in call[2]
    assert commands["test"] and commands["bench"]
    assert not commands["run"] and not commands["check"]


def test_an_old_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST_PYTHON", (99, 0))
    assert bootstrap.main([]) == 1
    assert "make PYTHON=python99.0 run" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------- pins


def pinned() -> dict[str, str]:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def test_every_pin_is_exact_and_names_no_address() -> None:
    text = (ROOT / "constraints.txt").read_text()
    assert "://" not in text and "--" not in text
    for line in text.splitlines():
        assert line.startswith("#") or re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line


def test_pins_cover_the_product_and_all_it_brings() -> None:
    known, seen = pinned(), set()
    todo = [("stageboard", "dev")]
    while todo:
        name, extra = todo.pop()
        for text in distribution(name).requires or []:
            need = Requirement(text)
            if need.marker is not None and not need.marker.evaluate({"extra": extra}):
                continue
            needed = pins.canonical(need.name)
            assert needed in known, f"{name} brings {needed}, which is not pinned; run `make pins`"
            assert distribution(needed).version == known[needed]
            if needed not in seen:
                seen.add(needed)
                todo.append((needed, ""))
    assert len(seen) > 30


def test_pins_satisfy_the_minimums() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in project["dependencies"] + project["optional-dependencies"]["dev"]:
        need = Requirement(text)
        assert need.specifier.contains(pinned()[pins.canonical(need.name)]), text


def test_every_dependency_has_a_minimum_below_its_pin(tmp_path: Path) -> None:
    found = dict(line.split("==") for line in lowest.lowest())
    known = pinned()
    assert len(found) == len(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])
    assert all(Version(version) <= Version(known[pins.canonical(name)]) for name, version in found.items())
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["numpy==2.0"]\n')
    with pytest.raises(ValueError, match="has no minimum"):
        lowest.lowest(tmp_path / "pyproject.toml")


# ------------------------------------------------------------------------------------------------------- make


def test_make_alone_lists_what_there_is() -> None:
    done = subprocess.run(
        ["make", "--no-print-directory"], check=True, cwd=ROOT, capture_output=True, text=True
    )
    for target in ("run", "test", "check", "format", "bench", "pins", "wheel", "clean"):
        assert re.search(rf"^  make {target}\b.+\w", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize(
    ("display", "expected"),
    [
        ({"DISPLAY": ":0"}, "stageboard sample_models/resnet50.json"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "stageboard sample_models/resnet50.json"),
        ({}, "stageboard demo --headless --out out"),
    ],
)
def test_make_run_opens_the_window_where_there_is_a_display(
    tmp_path: Path, display: dict[str, str], expected: str
) -> None:
    """Run the recipe itself, on a checkout whose set-up is a no-op and whose product only echoes its arguments."""
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "bootstrap.py").write_text("")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    product = tmp_path / ".venv" / "bin" / "stageboard"
    product.write_text('#!/bin/sh\necho "stageboard $*"\n')
    product.chmod(0o755)
    environment = {
        k: v for k, v in os.environ.items() if k not in {"DISPLAY", "WAYLAND_DISPLAY", "MAKEFLAGS"}
    }
    done = subprocess.run(
        ["make", "--no-print-directory", "run", f"PYTHON={sys.executable}"],
        check=True,
        cwd=tmp_path,
        env=environment | display,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == expected


def test_ci_calls_make_test_and_can_be_started() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)
    assert "make test" in script.read_text()


def test_the_planner_starts_without_qt() -> None:
    """The import contract reads the sources; this runs them."""
    program = (
        "import pkgutil, importlib, sys, planner\n"
        "for module in pkgutil.walk_packages(planner.__path__, 'planner.'):\n"
        "    if not module.name.endswith('__main__'): importlib.import_module(module.name)\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'PySide6', 'shiboken6', 'pyqtgraph', 'gui'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


# --------------------------------------------------------------------------------------------------- coverage


@pytest.fixture
def measured(tmp_path: Path) -> tuple[Path, Path]:
    """Return a small project and the folder with the coverage data of two runs, each missing other lines."""
    (tmp_path / "planner" / "evaluation").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    (tmp_path / "pyproject.toml").write_text("")
    module = tmp_path / "planner" / "evaluation" / "rule.py"
    module.write_text(
        "def rule(a):\n    if a == 1:\n        return 10\n    if a == 2:\n        return 20\n    return 0\n"
    )
    data = tmp_path / "data"
    data.mkdir()
    for argument in (1, 2):
        script = tmp_path / "script.py"
        script.write_text(
            "import sys\nfrom coverage import Coverage\n"
            f"c = Coverage(data_file={str(data / f'data.{argument}')!r}, include={[str(module)]!r}, config_file=False)\n"
            f"c.start()\nimport planner.evaluation.rule as m\nm.rule({argument})\nc.stop()\nc.save()\n"
        )
        subprocess.run(
            [sys.executable, script],
            check=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )
    return tmp_path, data


def test_missed_lines_of_a_listed_file_are_named(
    measured: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root, data = measured
    (root / "tools" / "full_coverage.txt").write_text("planner/evaluation/*.py  # rules\n")
    assert check_coverage.main([str(data)], root) == 1
    assert "planner/evaluation/rule.py: no test runs line 6\n" in capsys.readouterr().out


def test_the_passes_are_put_together(measured: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    root, data = measured
    (root / "tools" / "full_coverage.txt").write_text("planner/evaluation/rule.py\n")
    module = root / "planner" / "evaluation" / "rule.py"
    module.write_text(module.read_text().replace("return 0", "return 0  # pragma: no cover"))
    assert check_coverage.main([str(data)], root) == 0
    assert "1 of 1 listed files are fully covered" in capsys.readouterr().out


def test_a_file_that_no_test_imports_is_missed(measured: tuple[Path, Path]) -> None:
    root, data = measured
    (root / "planner" / "evaluation" / "unseen.py").write_text("x = 1\n")
    (root / "tools" / "full_coverage.txt").write_text("planner/evaluation/unseen.py\n")
    assert check_coverage.main([str(data)], root) == 1


def test_a_pattern_that_names_nothing_is_an_error(
    measured: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root, data = measured
    (root / "tools" / "full_coverage.txt").write_text("planner/tragets/*.py\n")
    assert check_coverage.main([str(data)], root) == 2
    assert "planner/tragets/*.py names no file" in capsys.readouterr().err


def test_missing_data_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_coverage.main([str(tmp_path)]) == 2
    assert "run `make test`" in capsys.readouterr().err


def test_line_numbers_are_written_shortly() -> None:
    assert check_coverage.runs([3, 7, 8, 9, 11]) == "3, 7-9, 11"
