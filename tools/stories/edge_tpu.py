"""ResNet50 on four Edge TPUs: the compiler's segmentation against a proven one (after the Edge TPU paper)."""

from __future__ import annotations

from stories.parts import BOTTLENECK, Made, Scene, Script
from stories.searches import problem_of, searched


def _edge_tpu() -> list[Made]:
    problem = problem_of(("resnet50.json",), "edge-tpu:4")
    alone, _ = searched(problem, "one-device")
    compiler, _ = searched(problem, "edge-tpu-balanced")
    profiled, _ = searched(problem, "edge-tpu-profiled")
    best, proof = searched(problem, "edge-tpu-ilp")
    return [
        Made("one device", alone),
        Made("compiler's segmentation", compiler),
        Made("balanced times", profiled),
        Made("exact", best, tuple(proof)),
    ]


EDGE_TPU = Script(
    "edge-tpu",
    "Fitting a network into small memories",
    "ResNet50 on Edge TPUs: what does not fit into a chip's memory is sent again for every picture. The compiler's segmentation against a"
    " proven one. After the Edge TPU paper.",
    ("sample:resnet50.json",),
    _edge_tpu,
    (
        Scene(
            "one device", "A network too large for its chip",
            "ResNet50 has {params} of parameters. An Edge TPU keeps {limit} of them on chip.",
            view="flow", hold=8.0,
            notes="The parameters of ResNet50 do not fit on one Edge TPU. What does not fit is fetched again for every picture.",
        ),
        Scene(
            "one device", "All on one chip",
            "{total_streamed} are streamed for every picture: {dram} do not fit, {total_pushed} are pushed out by activations."
            " So one picture comes every {interval}.",
            panel="memory",
            notes="Above the line is what has to be streamed. Activations need room as well, so less than the whole cache is free.",
        ),
        Scene(
            "compiler's segmentation", "Four chips in a row, as the compiler cuts",
            "Equal shares in the order of the file. Yet {bottleneck} holds {max_memory}, and {dram} still do not fit.",
            view="stages", panel="memory", versus="one device",
            notes="The compiler shares parameters out evenly along the file's order. One stage still lies above the line.",
        ),
        Scene(
            "compiler's segmentation", "One chip is too full",
            "The last layers are the heaviest. {bottleneck_ops} operators on {bottleneck} are more than its memory holds.",
            panel="memory", zoom=BOTTLENECK,
            notes="The late layers hold most of the parameters: a cut between them is coarse. That is why even shares do not come out even.",
        ),
        Scene(
            "balanced times", "Balance the times instead",
            "With stages of equal time, {dram} stay off chip. Better, and still too much for one stage.",
            view="stages", panel="memory", versus="compiler's segmentation",
            notes="Shares of equal time instead of equal size: less is streamed, and one stage is still too full.",
        ),
        Scene(
            "exact", "The best cut",
            "{moved} operators move. Now the fullest chip holds {max_memory}. Off chip: {dram}.",
            view="stages", panel="difference", versus="balanced times",
            notes="The exact plan moves a few operators, and the fullest stage is below the line.",
        ),
        Scene(
            "exact", "All parameters below the line",
            "Nothing is streamed any more: one picture every {interval} instead of every {other_interval}.",
            view="stages", panel="memory", versus="one device",
            notes="All bars are below the line. The time for a picture falls because nothing is streamed, not because there is less work.",
        ),
        Scene(
            "exact", "Proven, part by part",
            "First the fullest chip, then what is off chip, then what is sent: no cut is better in this order.",
            view="certificate",
            notes="Memory comes first, then what is off chip, then what is sent. Each part is proven with the ones before it held.",
        ),
    ),
)  # fmt: skip
