"""Named machines: rates of devices with who says so, shipped as data or calibrated and kept as one's own.

The shipped ones are in ``named_machines.toml`` beside this file. One's own are JSON files in the user's configuration folder, one each:
``format`` ("stageboard-machine"), ``version`` (1), ``name``, ``title``, ``device`` ("accelerator" or "cpu"), ``rates`` (``flops``,
``bandwidth``, ``overhead``), ``groups`` (the same by group of kinds, :mod:`planner.model.kind_groups`), ``source``, ``date`` and ``fit``
(what the calibration says of itself, for people).
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec import field as struct_field

from planner.errors import StageboardError
from planner.files import parse_json, read_text, to_json, write_atomically
from planner.guard import guarded
from planner.model.cost_model import (
    CostModel,
    Groups,
    Rates,
    RatesSource,
    checked_rates,
    groups_dict,
    groups_from,
)
from planner.printable import clean, shown
from planner.toml_file import read_toml
from planner.typed_json import typed

SHIPPED = Path(__file__).with_name("named_machines.toml")
FORMAT = "stageboard-machine"
VERSION = 1
SUFFIX = ".json"
LARGEST = 2**20
"""Bytes that the file of a machine may have."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class NamedMachine:
    """A kind of device by name: its rates, or the parameters that it gives to targets which have rates of their own.

    ``device``: "accelerator" or "cpu". ``rates`` is None where only ``parameters`` (kind of target -> parameter -> value) are known.
    ``groups`` are calibrated rates by group of kinds, ``fit`` what the calibration says of itself. ``own``: it is the user's, not shipped.
    """

    name: str
    title: str
    device: str
    source: str
    date: str
    rates: Rates | None = None
    groups: Groups = ()
    parameters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fit: Mapping[str, float | int | str] = field(default_factory=dict)
    own: bool = False

    @property
    def rates_source(self) -> RatesSource:
        """What a cost model with these rates says of them."""
        return RatesSource(self.name, self.source, self.date)


# ---------------------------------------------------------------------- those there are
@functools.cache
def shipped() -> tuple[NamedMachine, ...]:
    """The machines that Stageboard brings along, in the order of their file."""
    return tuple(_from_table(name, table) for name, table in read_toml(SHIPPED).items())


def _from_table(name: str, table: Mapping[str, Any]) -> NamedMachine:
    numbers = {key: table[key] for key in Rates._fields if key in table}
    return NamedMachine(
        name, table["title"], table["device"], table["source"], table["date"],
        checked_rates(numbers, name) if numbers else None, parameters=table.get("parameters", {}),
    )  # fmt: skip


def folder() -> Path:
    """Where machines of one's own are kept: beside Stageboard's settings."""
    import platformdirs

    return Path(platformdirs.user_config_path("stageboard", appauthor=False)) / "machines"


def own_machines() -> tuple[tuple[NamedMachine, ...], tuple[str, ...]]:
    """Machines of one's own by name, and a sentence for each file in their folder that cannot be read."""
    found: list[NamedMachine] = []
    wrong: list[str] = []
    for path in sorted(folder().glob(f"*{SUFFIX}")) if folder().is_dir() else ():
        try:
            machine = read_machine(path)
            if machine.name != path.stem:
                raise StageboardError(
                    f"{path}: the machine in it is '{machine.name}'; name the file after it"
                )
            found.append(machine)
        except StageboardError as error:
            wrong.append(str(error))
    return tuple(found), tuple(wrong)


def machines() -> tuple[NamedMachine, ...]:
    """Every machine that can be named, one's own first."""
    return (*own_machines()[0], *shipped())


def machine(name: str) -> NamedMachine:
    """A machine by its name, or in a file (``NAME.json``). Raises :class:`StageboardError` that names those there are."""
    if name.lower().endswith(SUFFIX):
        return read_machine(name)
    for one in shipped():
        if one.name == name:
            return one
    path = folder() / f"{name}{SUFFIX}"
    if _NAME.fullmatch(name) and path.is_file():
        return read_machine(path)
    known = ", ".join(one.name for one in machines())
    raise StageboardError(f"there is no machine {shown(name)}; choose from {known}")


# ---------------------------------------------------------------------- files
class _File(Struct):
    format: str
    version: int
    name: str
    device: Literal["accelerator", "cpu"]
    rates: dict[str, Any]
    title: str = ""
    groups: dict[str, Any] = struct_field(default_factory=dict)
    source: str = ""
    date: str = ""
    fit: dict[str, float | int | str] = struct_field(default_factory=dict)


def read_machine(path: str | os.PathLike[str]) -> NamedMachine:
    """The machine in a file. Raises :class:`StageboardError` with one sentence where it is damaged."""
    file = Path(path).name
    with guarded(file, StageboardError):
        text = read_text(path, LARGEST, error=StageboardError, remedy="a machine needs only a few lines")
        value = parse_json(text, file, StageboardError)
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise StageboardError(f"{file} is not a machine; 'stageboard calibrate' writes one")
        if value.get("version") != VERSION:
            raise StageboardError(
                f"{file}: version {shown(value.get('version'))} of machines is not known here, version {VERSION} is;"
                " open it with the Stageboard that wrote it"
            )
        given = typed(value, _File, file, StageboardError)
        check_name(given.name, file)
        return NamedMachine(
            given.name, clean(given.title) or given.name, given.device, clean(given.source) or file, clean(given.date),
            checked_rates(given.rates, file), groups_from(given.groups, file),
            fit={clean(key): clean(entry) if isinstance(entry, str) else entry for key, entry in given.fit.items()}, own=True,
        )  # fmt: skip


def to_dict(machine: NamedMachine) -> dict[str, Any]:
    """The JSON object of a machine of one's own. Raises :class:`StageboardError` where it has no rates."""
    if machine.rates is None:
        raise StageboardError(f"machine '{machine.name}' has no rates that could be written")
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": machine.name,
        "title": machine.title,
        "device": machine.device,
        "source": machine.source,
        "date": machine.date,
        "rates": machine.rates._asdict(),
        "groups": groups_dict(machine.groups),
        "fit": dict(machine.fit),
    }


def check_name(name: str, where: str = "") -> None:
    """Raise :class:`StageboardError` where a machine of one's own cannot be called so."""
    before = f"{where}: " if where else ""
    if not _NAME.fullmatch(name):
        raise StageboardError(
            f"{before}a machine cannot be named {shown(name)}; use up to 64 small letters, digits, '.', '_' and '-'"
        )
    if name.endswith(SUFFIX):
        raise StageboardError(f"{before}a machine cannot be named {shown(name)}; leave '{SUFFIX}' out")
    if any(one.name == name for one in shipped()):
        raise StageboardError(
            f"{before}'{name}' is a machine that Stageboard brings along; choose another name"
        )


def check_free(name: str) -> None:
    """Raise :class:`StageboardError` where a machine of that name cannot be kept, or is there already."""
    check_name(name)
    if (folder() / f"{name}{SUFFIX}").exists():
        raise StageboardError(
            f"there is a machine '{name}' of your own already; remove it (stageboard machines --remove {name}) or choose another name"
        )


def keep(machine: NamedMachine, replace: bool = False) -> Path:
    """Keep a machine as one's own, and say in which file. Raises :class:`StageboardError`."""
    if replace:
        check_name(machine.name)
    else:
        check_free(machine.name)
    folder().mkdir(parents=True, exist_ok=True)
    return write_atomically(folder() / f"{machine.name}{SUFFIX}", to_json(to_dict(machine)))


def remove(name: str) -> Path:
    """Forget a machine of one's own, and say which file went. Raises :class:`StageboardError` where there is none."""
    path = folder() / f"{name}{SUFFIX}"
    if any(one.name == name for one in shipped()):
        raise StageboardError(
            f"'{name}' is a machine that Stageboard brings along; only your own can be removed"
        )
    if not _NAME.fullmatch(name) or not path.is_file():
        own = ", ".join(one.name for one in own_machines()[0]) or "none"
        raise StageboardError(f"there is no machine {shown(name)} of your own; those there are: {own}")
    path.unlink()
    return path


# ---------------------------------------------------------------------- in use
@dataclass(frozen=True)
class Machines:
    """Named machines in use: each with the kind of device whose rates it gives, '' where it gives its own kind's."""

    uses: tuple[tuple[str, NamedMachine], ...] = ()

    @property
    def names(self) -> str:
        """Their names, for sentences."""
        return ", ".join(one.name for _, one in self.uses)

    def by_side(self) -> dict[str, NamedMachine]:
        """Which machine gives the rates of a kind of device; later ones count before earlier ones.

        A CPU that nobody gave a kind of device for stands in for accelerators too, where no other machine is named for these.
        """
        found: dict[str, NamedMachine] = {}
        stand_in: NamedMachine | None = None
        for device, one in self.uses:
            if one.rates is None:
                continue
            found[device or one.device] = one
            if not device and one.device == "cpu":
                stand_in = one
        if stand_in is not None:
            found.setdefault("accelerator", stand_in)
        return found

    def cost_model(self, base: CostModel) -> CostModel:
        """``base`` with the rates of these machines."""
        for side, one in self.by_side().items():
            assert one.rates is not None, "by_side leaves others out"
            base = base.with_rates(side, one.rates, one.groups, one.rates_source)
        return base

    def given(self) -> frozenset[str]:
        """Kinds of devices whose rates these machines give."""
        return frozenset(self.by_side())

    def parameters(self, kind: str) -> dict[str, float]:
        """What they say of a kind of target that has rates of its own, by parameter."""
        found: dict[str, float] = {}
        for _, one in self.uses:
            found |= one.parameters.get(kind, {})
        return found


NO_MACHINES = Machines()
"""No named machine: a cost model as it is."""


def named_rates(side: str, cost_model: CostModel) -> RatesSource | None:
    """Whose rates a kind of device has in a cost model: what it says itself, else a shipped machine with just these rates.

    None where the rates are nobody's: typed in by hand.
    """
    source = cost_model.source(side)
    if source is None and not cost_model.groups(side):
        rates = cost_model.rates(side)
        source = next(
            (one.rates_source for one in shipped() if one.device == side and one.rates == rates), None
        )
    return source
