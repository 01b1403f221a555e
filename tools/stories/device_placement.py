"""A small BERT on two accelerators and a CPU: contiguous plans against free ones, each proven best (after the device placement paper)."""

from __future__ import annotations

from stories.parts import BOTTLENECK, Made, Scene, Script
from stories.searches import problem_of, proven, searched

MODEL = ("bert_3.json",)


def _plans() -> list[Made]:
    in_a_row = problem_of(MODEL, "pool:2+1,contiguous=true")
    free = problem_of(MODEL, "pool:2+1,contiguous=false")
    filled, _ = searched(in_a_row, "memory-fill")
    dream, _ = searched(in_a_row, "pipedream")
    best, proof = searched(in_a_row, "ideals-dp")
    freest, least = searched(free, "max-load-ip", solver="highs", workers=1)
    simple = proven(in_a_row, "simple")
    return [
        Made("filled up", filled, simple),
        Made("pipedream", dream, simple),
        Made("best in a row", best, (*simple, *proof[-1:])),
        Made("best of all", freest, tuple(least[-1:])),
    ]


DEVICE_PLACEMENT = Script(
    "device-placement",
    "What does it cost to stay in a row?",
    "A small BERT on accelerators and a CPU. The best plan in which each device takes one piece is proven, and so is the best without"
    " that rule: the difference is what the rule costs. After the device placement paper.",
    ("sample:bert_3.json",),
    _plans,
    (
        Scene(
            "filled up", "A small BERT, {devices} devices",
            "{ops} operators are to be placed on accelerators and a CPU. Tensors travel through memory.",
            view="flow", hold=8.0,
            notes="A small BERT. The devices do not stand in a row: any may send to any, through memory.",
        ),
        Scene(
            "filled up", "Fill one device, then the next",
            "Memory decides, speed is left to chance: {bottleneck} needs {objective} for each sample.",
            view="stages", panel="costs",
            notes="Devices are filled until their memory is full. It is a valid plan, and a poor one: look at the longest bar.",
        ),
        Scene(
            "pipedream", "Balance the work along a path",
            "PipeDream cuts the network like a rope: {objective}, {change} less.",
            view="stages", panel="difference", versus="filled up",
            notes="Operators are put in one order and the order is cut where the pieces cost alike. This is what PipeDream does.",
        ),
        Scene(
            "best in a row", "The best cut in a row",
            "Dynamic programming looks at every way to cut: {objective}, {change} less, and proven.",
            view="stages", panel="difference", versus="pipedream",
            notes="Dynamic programming over all ways to cut, not only those of one order. It is proven for plans in one piece for each device.",
        ),
        Scene(
            "best in a row", "One piece for each device",
            "Each sample goes through the devices once, one after the other. Many samples are on their way at a time.",
            panel="schedule",
            notes="The schedule of that plan: samples follow one another, each device has one turn for each of them.",
        ),
        Scene(
            "best of all", "Let the pieces come back",
            "Without that rule, integer programming finds {objective}: {change} less. {moved} operators moved.",
            view="stages", panel="difference", versus="best in a row", transition=2.0,
            notes="Now a device may have several pieces. The rule was the price: compare the two figures.",
        ),
        Scene(
            "best of all", "More journeys, less waiting",
            "A device now serves a sample more than once, which takes a schedule with more steps.",
            panel="schedule",
            notes="The same sample comes to a device more than once. That is allowed where a schedule can be made for it, and it can.",
        ),
        Scene(
            "best of all", "What sets the pace now",
            "{bottleneck} works for {bottleneck_work} and spends {bottleneck_transfers} on tensors.",
            panel="costs", zoom=BOTTLENECK,
            notes="The busiest device spends most of its time on work: little is left to be saved on tensors.",
        ),
        Scene(
            "best of all", "Two proofs, one price",
            "No plan at all is below {objective}, none in a row below {other_objective}. That is what the rule costs.",
            view="stages", panel="difference", versus="best in a row",
            notes="Both plans are proven, each under its own rule. The difference between them is what contiguity costs for this network.",
        ),
        Scene(
            "best of all", "The certificate", "What it costs, how it was proven, and what the proof took for granted.", view="certificate",
            notes="The certificate says which rule each proof used: a proof for fewer rules holds for more, not the other way round.",
        ),
    ),
    dear=True,
)  # fmt: skip
