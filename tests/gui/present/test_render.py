"""``stageboard render``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gui.app.launch import main
from gui.look.page import PRESETS, SCREEN_DPI
from tests.gui.present.slides import overlapping, written_in

ROOT = Path(__file__).resolve().parents[3]
RESNET = str(ROOT / "sample_models" / "resnet50.json")
UNET = str(ROOT / "sample_models" / "unet.onnx")
MAGIC = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.fixture(scope="module")
def plan_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("plans") / "unet.plan.json"
    assert (
        main(["plan", UNET, "--target", "pipeline:3", "--planner", "slice", "--batch", "2", "-o", str(file)])
        == 0
    )
    return str(file)


@pytest.mark.parametrize("suffix", list(MAGIC))
@pytest.mark.parametrize("view", ["flow", "lanes", "schedule", "memory"])
def test_pictures_of_a_plan(
    suffix: str, view: str, plan_file: str, tmp_path: Path, qapp: Any, capsys: Any
) -> None:
    file = tmp_path / f"picture{suffix}"
    theme = "dark" if view == "lanes" else "light"
    assert (
        main(
            [
                "render",
                UNET,
                plan_file,
                "-o",
                str(file),
                "--view",
                view,
                "--theme",
                theme,
                "--size",
                "800x500",
                "--json",
            ]
        )
        == 0
    )
    streams = capsys.readouterr()
    assert json.loads(streams.out) == {
        "file": str(file), "width": 800, "height": 500, "theme": theme, "view": view, "ops": 50,
    }  # fmt: skip
    assert streams.err == ""
    assert file.read_bytes().startswith(MAGIC[suffix])
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == [file.name], "nothing else is left"


@pytest.mark.parametrize("suffix", list(MAGIC))
def test_the_certificate_of_a_plan(
    suffix: str, plan_file: str, tmp_path: Path, qapp: Any, capsys: Any
) -> None:
    file = tmp_path / f"page{suffix}"
    words = [UNET, plan_file, "-o", str(file), "--view", "certificate", "--json"]
    assert main(["render", *words, "--preset", "slide"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "file": str(file), "width": 1920, "height": 1080, "theme": "light", "view": "certificate", "status": "optimal",
    }  # fmt: skip
    assert file.read_bytes().startswith(MAGIC[suffix])
    assert main(["render", *words, "--prove", "off"]) == 0, "nothing is proven but what is known at once"


def test_the_certificate_of_an_order(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    network, plan = str(ROOT / "sample_models" / "mlp_100.npz"), str(tmp_path / "order.plan.json")
    assert main(["plan", network, "--target", "memory:60", "--planner", "theorem-1", "-o", plan]) == 0
    file = tmp_path / "page.svg"
    capsys.readouterr()
    assert main(["render", network, plan, "-o", str(file), "--view", "certificate"]) == 0
    assert capsys.readouterr().out.startswith(f"wrote {file} (1600 x 1000, certificate of ")
    assert "I/Os" in file.read_text("utf-8")


def test_certificates_that_cannot_be_drawn(plan_file: str, tmp_path: Path, qapp: Any, capsys: Any) -> None:
    file = tmp_path / "page.png"
    words = ["-o", str(file), "--view", "certificate"]
    for said, arguments in (
        ("a certificate is of a plan; name a plan file after the model", [UNET, *words]),
        ("cannot be read in so narrow a picture", [UNET, plan_file, *words, "--size", "700x1600"]),
        ("--density prunes sparse networks", [UNET, plan_file, *words, "--density", "0.1"]),
    ):
        assert main(["render", *arguments]) == 2
        assert said in capsys.readouterr().err
        assert not file.exists()


def test_a_certificate_in_a_column(plan_file: str, tmp_path: Path, qapp: Any, capsys: Any) -> None:
    file = tmp_path / "page.svg"
    assert (
        main(["render", UNET, plan_file, "-o", str(file), "--view", "certificate", "--preset", "column"]) == 0
    )
    (wide, high) = (int(side) for side in capsys.readouterr().out.split("(")[1].split(",")[0].split(" x "))
    assert wide == 1004 and 400 < high < 2362, "as high as needed"
    lines = written_in(file.read_bytes())
    words = " ".join(line.words for line in lines)
    for said in ("Certificate of unet", "Bottleneck", "How it is proven", "Model", "Rules", "Versions"):
        assert said in words
    inches = SCREEN_DPI / PRESETS["column"].dpi  # drawings of what is printed are measured in inches
    assert all(line.pixels >= 0.97 * PRESETS["column"].least * inches for line in lines)
    assert overlapping(lines, 2.0) == []
    assert max(line.box.right() for line in lines) <= wide * inches
    assert max(line.box.bottom() for line in lines) <= high * inches


def test_the_picture_has_the_size_and_colours_asked_for(plan_file: str, tmp_path: Path, qapp: Any) -> None:
    from PySide6.QtGui import QImage

    lightness = {}
    for theme in ("light", "dark"):
        file = tmp_path / f"{theme}.png"
        assert main(["render", UNET, plan_file, "-o", str(file), "--theme", theme, "--size", "640x400"]) == 0
        image = QImage(str(file))
        assert (image.width(), image.height()) == (640, 400)
        lightness[theme] = image.pixelColor(2, 398).lightness()
        colours = {image.pixel(x, y) for x in range(0, 640, 4) for y in range(0, 400, 4)}
        assert len(colours) > 10, "there is something to see"
    assert lightness["light"] > 200 > 80 > lightness["dark"]


def test_a_model_without_a_plan(tmp_path: Path, qapp: Any) -> None:
    file = tmp_path / "plain.png"
    assert main(["render", RESNET, "-o", str(file)]) == 0
    assert file.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([RESNET, "-o", "picture.gif"], ".png, .svg, .pdf"),
        ([RESNET, "-o", "picture.png", "--view", "lanes"], "name a plan file after the model"),
        ([RESNET, "-o", "picture.png", "--size", "10x10"], "must be from 64"),
        ([RESNET, "-o", "picture.png", "--size", "big"], "WIDTHxHEIGHT"),
        ([RESNET, "-o", "nowhere/picture.png"], "there is no folder nowhere"),
        (["nowhere.json", "-o", "picture.png"], "nowhere.json does not exist"),
        ([RESNET, "-o", "picture.png", "--theme", "blue"], "light"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["render", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == "" and streams.err.count("\n") == 1 and words in streams.err
    assert not (tmp_path / "picture.png").exists()


def test_a_plan_of_another_model_is_refused(plan_file: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["render", RESNET, plan_file, "-o", str(tmp_path / "picture.png")]) == 2
    assert "is a plan of another graph" in capsys.readouterr().err


def test_a_picture_has_the_title_that_is_given(
    plan_file: str, tmp_path: Path, qapp: Any, capsys: Any
) -> None:
    picture = tmp_path / "titled.svg"
    for arguments, title in (([], " on "), (["--title", "My own words"], "My own words")):
        assert main(["render", UNET, plan_file, "--prove", "off", "-o", str(picture), *arguments]) == 0
        assert title in picture.read_text()
    view = ["--view", "certificate", "--title", "No"]
    assert main(["render", UNET, plan_file, *view, "-o", str(tmp_path / "no.pdf")]) == 2
    assert "--title" in capsys.readouterr().err


def test_the_package_view_needs_chips(plan_file: str, tmp_path: Path, qapp: Any, capsys: Any) -> None:
    from planner.formats import read_models
    from planner.machines.mcm.target import McmPackage
    from planner.plan_files.plan_json import write_plan
    from planner.problem.problem import Problem
    from planner.problem.provenance import Provenance

    problem = Problem(read_models([UNET], batch=1), McmPackage(4))
    chips, picture = tmp_path / "chips.plan.json", tmp_path / "package.svg"
    write_plan(chips, problem.plan(np.zeros(problem.graph.n, np.int32), Provenance("hand")), ())
    assert main(["render", UNET, str(chips), "--view", "package", "-o", str(picture)]) == 0
    assert picture.read_bytes().startswith(MAGIC[".svg"])
    capsys.readouterr()
    memory = tmp_path / "memory.svg"
    assert main(["render", UNET, str(chips), "--view", "memory", "-o", str(memory)]) == 0
    assert "in running order" in memory.read_text()
    capsys.readouterr()
    assert main(["render", UNET, plan_file, "--view", "package", "-o", str(tmp_path / "no.png")]) == 2
    assert "choose --view lanes" in capsys.readouterr().err
    assert not (tmp_path / "no.png").exists()


@pytest.mark.parametrize("colour", ["time", "bytes", "ratio"])
def test_heat_maps(colour: str, tmp_path: Path, qapp: Any, capsys: Any) -> None:
    times, file = tmp_path / "t.csv", tmp_path / "heat.svg"
    times.write_text("op,seconds\nconv1_conv,0.001\nconv1_bn,0.0002\n")
    arguments = ["render", RESNET, "--colour", colour, "-o", str(file), "--machine", "a100-40gb"]
    assert main([*arguments, "--times", str(times)]) == 0
    scale = {"time": "Time of an op", "bytes": "Bytes an op moves", "ratio": "Measured over estimated"}[
        colour
    ]
    assert scale in file.read_text()
    file.unlink()
    assert main(arguments) == (2 if colour == "ratio" else 0)
    said = capsys.readouterr().err
    assert ("needs measured times" in said) == (colour == "ratio")


def test_a_heat_map_is_of_ops(plan_file: str, tmp_path: Path, qapp: Any, capsys: Any) -> None:
    file = str(tmp_path / "a.png")
    assert main(["render", UNET, plan_file, "--view", "schedule", "--colour", "time", "-o", file]) == 2
    assert "--view schedule does not show" in capsys.readouterr().err


def test_the_curve_of_a_network(tmp_path: Path, qapp: Any, capsys: Any) -> None:
    network, picture = str(ROOT / "sample_models" / "digits_pruned.npz"), tmp_path / "curve.svg"
    assert main(["render", network, "--view", "ios", "--title", "Digits", "-o", str(picture), "--json"]) == 0
    assert '"view": "ios"' in capsys.readouterr().out
    text = picture.read_text()
    assert "size of fast memory" in text and "Digits" in text
