"""A sparse network in three orders: Theorem 1, sliding windows, annealing (after the paper on sparse inference)."""

from __future__ import annotations

from planner.machines.spec import parse_target
from planner.model.samples import sample
from stories.parts import Made, Scene, Script
from stories.searches import proven, searched


def _sparse() -> list[Made]:
    from planner.formats.networks.read import read_network
    from planner.machines.two_level_memory.problem import NetworkProblem

    problem = NetworkProblem(read_network(sample("mlp_100.npz")), parse_target("memory:30"))  # type: ignore[arg-type]
    simple, _ = searched(problem, "theorem-1")
    windows, _ = searched(problem, "locality")
    best, proof = searched(problem, "order-portfolio", effort=0.2)
    larger = problem.with_target(parse_target("memory:100"))  # type: ignore[arg-type]
    roomy, _ = searched(larger, "order-portfolio", effort=0.2)
    return [
        Made("neuron by neuron", simple, tuple(proof[-1:])),
        Made("sliding windows", windows, tuple(proof[-1:])),
        Made("refined", best, tuple(proof[-1:])),
        Made("with its bound", best, tuple(proof[-1:])),
        Made("a larger memory", roomy, proven(larger, "theorem-1")),
    ]


SPARSE = Script(
    "sparse",
    "The same sums in a better order",
    "A sparse network whose values do not all fit into fast memory: the same connections in another order need far fewer transfers. After the"
    " paper on I/O-efficient sparse inference.",
    ("sample:mlp_100.npz",),
    _sparse,
    (
        Scene(
            "neuron by neuron", "A sparse network",
            "{neurons} neurons and {connections} connections. Fast memory holds only {fast} values at a time.",
            view="network", panel="costs", hold=8.0, done=0.0,
            notes="Neurons in layers, and only the connections that were left after pruning. The fast memory holds a small part of them.",
        ),
        Scene(
            "neuron by neuron", "One neuron after the other",
            "The plain order finishes a neuron, then the next: {reads} reads and {writes} writes of slow memory.",
            view="network", done=1.0, transition=6.0, panel="costs",
            notes="Watch the counters while the order runs: each neuron is finished before the next begins.",
        ),
        Scene(
            "sliding windows", "Use what is there",
            "Sums that share an input are worked on together, while it is in fast memory.",
            view="network", panel="costs", done=0.0,
            notes="The same network from its beginning, in another order of its connections.",
        ),
        Scene(
            "sliding windows", "Fewer trips to slow memory",
            "{objective} (reads and writes together), {change} less, for the very same result.",
            view="network", done=1.0, transition=6.0, panel="costs", versus="neuron by neuron",
            notes="The network computes the same. Only what is fetched, and how often, has changed.",
        ),
        Scene(
            "refined", "A portfolio, refined by annealing",
            "Several orders compete; in the best neurons swap places wherever that helps: {objective}, {change} less again.",
            view="network", done=1.0, transition=2.0, panel="costs", versus="sliding windows",
            notes="Several orders compete, and the best is refined by small changes that are kept where they help, and at first sometimes where they do not.",
        ),
        Scene(
            "with its bound", "What no order can avoid",
            "All weights, inputs and biases are read, all results written: {least} at least. {gap} is left to gain at most.",
            view="network", done=1.0, panel="convergence",
            notes="Every order must read all weights, inputs and biases and write all results. What is above that is what an order can be blamed for.",
        ),
        Scene(
            "a larger memory", "More memory, fewer transfers",
            "With room for {fast} values: {objective}. The least possible stays {least}.",
            view="network", done=1.0, panel="costs", transition=3.0,
            notes="With more room fewer values are fetched twice. What no order can avoid stays: it does not depend on the memory.",
        ),
        Scene(
            "with its bound", "The certificate", "Of the best order for {fast} values: counted again from nothing, connection by connection.", view="certificate",
            notes="Reads and writes were counted again from the order alone, connection by connection.",
        ),
    ),
)  # fmt: skip
