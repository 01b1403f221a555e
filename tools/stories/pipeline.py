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
            notes="Every card is an operator, every arrow a tensor. Both networks share one row of devices, and each device takes its part of both.",
        ),
        Scene(
            "one after the other", "One network after the other",
            "The slowest device sets the pace of all: {bottleneck} takes {objective} for each picture.",
            view="stages", panel="costs",
            notes="The simplest split: one network, then the other. Point at the slowest device: all others wait for it once for every picture.",
        ),
        Scene(
            "random orders", "Mix the two, {option_orders} times",
            "Each order that obeys all arrows is cut as well as it can be. The best: {objective}, {change} less.",
            view="stages", panel="difference", versus="one after the other",
            notes="An order of all operators is cut into pieces in the best way there is. What is searched is only the order, and here it is drawn at random.",
        ),
        Scene(
            "bred orders", "Let good orders breed",
            "A genetic algorithm crosses the best orders: {objective}. {moved} of {ops} operators change places for it.",
            view="stages", panel="difference", versus="random orders",
            notes="The same cutting, but orders inherit from good ones. Watch how many operators change places for a small gain: the landscape is flat.",
        ),
        Scene(
            "bred orders", "What holds it back",
            "{bottleneck} works for {bottleneck_work}, and spends {bottleneck_transfers} on tensors that come and go.",
            panel="costs", zoom=BOTTLENECK,
            notes="The slowest device again: the dark part of its bar is work, the pale part are tensors that come and go. Both count.",
        ),
        Scene(
            "simple bound", "Could it be much better?",
            "Even with the work shared out evenly, some device needs {bound}. So at most {gap} can be gained.",
            panel="convergence",
            notes="So far we only know that plans get better. A bound says how good any plan could be: this one shares the work out evenly and forgets tensors.",
        ),
        Scene(
            "one stage alone", "A sharper question",
            "One device has an equal share or more, and must also be fed: that takes {bound}. Left to gain: {gap}.",
            panel="convergence",
            notes="The second bound lets the busiest device pay for what it must receive. The dashed line climbs, the plan stays.",
        ),
        Scene(
            "two halves", "Cut the row in two",
            "What crosses from one half to the other is paid for on both sides. Nothing is below {bound}: {gap} left.",
            panel="convergence",
            notes="The third cuts the row into two halves and charges both for what crosses. Most of the gap is closed by this one.",
        ),
        Scene(
            "one stage and its neighbours", "Ask for each place in the row",
            "Is the slowest the first, or the second? Its neighbours pay as well: {bound} at least, {gap} left.",
            panel="convergence",
            notes="The last asks for each place in the row whether the slowest device can be there, and takes the least of the answers.",
        ),
        Scene(
            "proven", "The end of the search",
            "A constraint solver finds {objective} by moving {moved} operators, and proves that nothing is faster.",
            view="stages", panel="difference", versus="bred orders",
            notes="An exact method closes the gap from both sides: the plan and the bound are now the same number.",
        ),
        Scene(
            "proven", "The certificate", "Cost, bound, method, rules: what anyone needs to check it.", view="certificate",
            notes="Everything on this page can be run again: the commands stand beside the figures.",
        ),
    ),
    dear=True,
)  # fmt: skip
