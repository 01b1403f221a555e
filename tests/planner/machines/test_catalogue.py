"""The catalogue: methods by name, imported when they are asked for, and only those that have to do with a problem."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from planner.errors import PlannerRefusal
from planner.machines.catalogue import (
    DEFAULT,
    OTHERS,
    bound_methods,
    import_next,
    methods_about,
    planner,
    planner_asked,
    planner_title,
    planners,
)
from planner.machines.pipeline.target import Pipeline
from planner.machines.titles import TITLES
from planner.machines.two_level_memory.problem import NetworkProblem
from planner.machines.two_level_memory.target import TwoLevelMemory
from planner.problem.problem import Problem
from tests.gui.editors.network.models import layered_network
from tests.gui.models import chain_graph


def test_methods_are_found_by_name_and_the_default_comes_first() -> None:
    assert next(iter(planners())) == DEFAULT
    assert planners()["slice"].name == "slice" and bound_methods()["simple"].name == "simple"
    assert "slice" in planners() and "nobody" not in planners() and planners().get("nobody") is None
    assert [name for name, method in planners().items() if method.name != name] == []
    assert len(planners()) == len(list(planners()))
    with pytest.raises(KeyError):
        planners()["nobody"]


def test_to_look_one_up_imports_no_other() -> None:
    code = (
        "import sys\n"
        "from planner.machines.catalogue import bound_methods, planners\n"
        "assert 'slice' in planners() and planners().get('slice') and bound_methods().get('nobody') is None\n"
        "print([m for m in sys.modules if '.planners.' in m or '.bounds.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "['planner.machines.pipeline.planners.slice']"


def test_titles_are_those_of_the_planners_and_import_none_of_them() -> None:
    assert {name: method.title for name, method in planners().items()} == TITLES
    assert planner_title("nobody") is None
    code = (
        "import sys\n"
        "from planner.machines.catalogue import planner_title\n"
        "assert planner_title('chain-dp') == 'Chain DP'\n"
        "print([m for m in sys.modules if m.endswith('.machine') and m != 'planner.machines.machine' or '.planners.' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_a_planner_of_another_package_is_called_by_its_own_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OTHERS, "somebody.machine")
    own = SimpleNamespace(title="Own Way")
    monkeypatch.setattr("planner.machines.catalogue.planners", lambda: {"own-way": own})
    assert planner_title("own-way") == "Own Way" and planner_title("chain-dp") == "Chain DP"
    assert planner_title("nobody") is None


def test_of_a_graph_nothing_is_listed_that_plans_networks_nor_the_other_way_round() -> None:
    graph = Problem(chain_graph(), Pipeline(3))
    network = NetworkProblem(layered_network(), TwoLevelMemory(7))
    for problem in (graph, network):
        plans, proofs = methods_about(problem)
        known = (*planners().values(), *bound_methods().values())
        networks = problem.target.plans_networks
        assert [*plans, *proofs] == [m for m in known if m.plans_networks == networks]


def test_what_plans_networks_is_not_even_imported_for_a_graph() -> None:
    code = (
        "import sys\n"
        "from types import SimpleNamespace\n"
        "from planner.machines.catalogue import methods_about\n"
        "from planner.machines.pipeline.target import Pipeline\n"
        "methods_about(SimpleNamespace(target=Pipeline(3)))\n"
        "print([m for m in sys.modules if 'two_level_memory.planners' in m or 'two_level_memory.orders' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_only_planners_that_serve_are_suggested() -> None:
    made = []

    def problem(spec: str) -> Problem:
        made.append(spec)
        return Problem(chain_graph(4), Pipeline(2))

    assert planner_asked("slice", lambda: problem("pipeline:2")).name == "slice" and made == []
    with pytest.raises(PlannerRefusal, match="no planner 'greedy'; did you mean 'chip-greedy'"):
        planner("greedy")
    with pytest.raises(PlannerRefusal, match="no planner 'greedy'; choose from auto, slice") as raised:
        planner_asked("greedy", lambda: problem("pipeline:2"))
    assert "chip-greedy" not in str(raised.value) and made == ["pipeline:2"]
    with pytest.raises(PlannerRefusal, match="no planner 'mtp'; did you mean 'mtpp-"):
        planner_asked("mtp", lambda: problem("pipeline:2"))
    with pytest.raises(PlannerRefusal, match="no planner 'slic'; did you mean 'slice'"):
        planner_asked("slic", lambda: problem("pipeline:2"))


def test_methods_are_imported_one_by_one_for_who_may_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(chain_graph(4), Pipeline(2))
    while import_next(problem):
        pass
    assert not import_next(problem)
    monkeypatch.setattr("planner.machines.catalogue.STEP_SECONDS", 0.0)
    for method in ("slice", "anneal"):
        monkeypatch.delitem(sys.modules, type(planners()[method]).__module__)
    assert import_next(problem) and import_next(problem) and not import_next(problem)
