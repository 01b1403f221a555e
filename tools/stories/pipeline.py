"""Two networks share a pipeline: slicing, searches over orders, four bounds, and a proof (after the MTPP paper)."""

from __future__ import annotations

from stories.parts import BOTTLENECK, Made, Scene, Script
from stories.searches import problem_of, proven, searched


def _pipeline() -> list[Made]:
    problem = problem_of(("resnet50.json", "unet.onnx"), "pipeline:4,bandwidth=12e9")
    first, _ = searched(problem, "slice")
    orders, _ = searched(problem, "slice-random", orders=400)
    bred, _ = searched(problem, "brkga", generations=30)
    simple = proven(problem, "simple")
    middle = proven(problem, "bottleneck", simple)
    split = proven(problem, "two-superblock", middle)
    guess = proven(problem, "bottleneck-guess", split, slice=600.0)
    best, proof = searched(problem, "mtpp-cp-sat", split=600.0)
    return [
        Made("one after the other", first),
        Made("random orders", orders),
        Made("bred orders", bred),
        Made("simple bound", bred, simple),
        Made("one stage alone", bred, middle),
        Made("two halves", bred, split),
        Made("one stage and its neighbours", bred, guess),
        Made("proven", best, (*guess, *proof[-1:])),
    ]


PIPELINE = Script(
    "pipeline",
    "How good is a pipeline, and how do you know?",
    "Two networks share a pipeline. Searches find better and better cuts, four bounds say what no cut can beat, and a proof ends it."
    " After the MTPP paper: SliceGraph, BRKGA, and the lower bounds.",
    ("sample:resnet50.json", "sample:unet.onnx"),
    _pipeline,
    (
        Scene(
            "one after the other", "Two networks, {devices} devices in a row",
            "ResNet50 says what is in a picture, a U-Net says where: {ops} operators in all. Each device does its share and passes it on.",
            view="flow", hold=8.0,
        ),
        Scene(
            "one after the other", "One network after the other",
            "The slowest device sets the pace of all: {bottleneck} takes {objective} for each picture.",
            view="stages", panel="costs",
        ),
        Scene(
            "random orders", "Mix the two, {option_orders} times",
            "Each order that obeys all arrows is cut as well as it can be. The best: {objective}, {change} less.",
            view="stages", panel="difference", versus="one after the other",
        ),
        Scene(
            "bred orders", "Let good orders breed",
            "A genetic algorithm crosses the best orders: {objective}. {moved} of {ops} operators change places for it.",
            view="stages", panel="difference", versus="random orders",
        ),
        Scene(
            "bred orders", "What holds it back",
            "{bottleneck} works for {bottleneck_work}, and spends {bottleneck_transfers} on tensors that come and go.",
            panel="costs", zoom=BOTTLENECK,
        ),
        Scene(
            "simple bound", "Could it be much better?",
            "Even with the work shared out evenly, some device needs {bound}. So at most {gap} can be gained.",
            panel="convergence",
        ),
        Scene(
            "one stage alone", "A sharper question",
            "One device has an equal share or more, and must also be fed: that takes {bound}. Left to gain: {gap}.",
            panel="convergence",
        ),
        Scene(
            "two halves", "Cut the row in two",
            "What crosses from one half to the other is paid for on both sides. Nothing is below {bound}: {gap} left.",
            panel="convergence",
        ),
        Scene(
            "one stage and its neighbours", "Ask for each place in the row",
            "Is the slowest the first, or the second? Its neighbours pay as well: {bound} at least, {gap} left.",
            panel="convergence",
        ),
        Scene(
            "proven", "The end of the search",
            "A constraint solver finds {objective} by moving {moved} operators, and proves that nothing is faster.",
            view="stages", panel="difference", versus="bred orders",
        ),
        Scene("proven", "The certificate", "Cost, bound, method, rules: what anyone needs to check it.", view="certificate"),
    ),
    dear=True,
)  # fmt: skip
