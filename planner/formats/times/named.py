"""Profiles as people name them: ``FILE`` for those of every device, ``DEVICE=FILE`` for those of one kind of device (``accelerator``, ``cpu``)
or of one device of a target, by its name or its number."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from planner.errors import ModelError
from planner.formats.times.read import read_times
from planner.model.times import DEVICES, Device, OpTimes, Use


def parted(text: str, base: str | os.PathLike[str] = ".") -> tuple[str, str]:
    """The device that a text names, empty for every one, and the file, which lies in the folder ``base``."""
    device, equals, file = (part.strip() for part in text.partition("="))
    if equals and (device in DEVICES or not (Path(base) / text).exists()):
        return device, file
    return "", text


def places(texts: Iterable[str], base: str | os.PathLike[str] = ".") -> set[str]:
    """The single devices of a target that texts name."""
    return {device for device, _ in (parted(text, base) for text in texts)} - {"", *DEVICES}


def named_times(texts: Iterable[str], base: str | os.PathLike[str] = ".") -> tuple[Use, ...]:
    """The profiles that texts name, each with the device whose times it gives. Raises :class:`ModelError`, as :func:`read_times`."""
    uses: list[Use] = []
    for text in texts:
        device, file = parted(text, base)
        given = read_times(Path(base) / file)
        kind = next((known for known in DEVICES if known == device), None)
        if device and kind is None:
            if len(given) > 1:
                raise ModelError(
                    f"{text}: {file} tells kinds of devices apart; give the rows of one kind for {device}"
                )
            uses += [Use(times, "", device) for times in given]
        else:
            uses += [Use(times, kind or _devices_of(times)) for times in given]
    return tuple(uses)


def _devices_of(times: OpTimes) -> Device:
    """Whose times a profile gives where nobody says: everybody's, unless its file tells kinds of devices apart row by row."""
    return times.device if times.apart else ""
