"""Cost classes: which devices of a machine are alike, and what each op takes on those of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from planner.model.graph import Floats, Ints


class DeviceClasses(NamedTuple):
    """``work`` float64[c, n] by class, ``class_of`` int32[k] of each device, ``kind_of`` int32[c]: the kind that devices of a class are of."""

    work: Floats
    class_of: Ints
    kind_of: Ints


def device_classes(
    kinds: Floats,
    kind_of: Ints,
    speeds: Sequence[float],
    memories: Sequence[float],
    measured: Mapping[int, Floats],
) -> DeviceClasses:
    """Devices are of one class where nothing but a pin tells them apart: kind, speed, memory and measured times.

    ``kinds`` float64[r, n]: times of the ops on devices of each kind; ``kind_of`` int32[k] of each device, ``speeds`` and ``memories`` k numbers;
    ``measured``: times measured on one device (float64[n], NaN where none was), which are of that device as it is: its speed divides the
    others only. The first class of each kind has the kind's number, whether there are such devices or not.
    """
    keys: dict[tuple[object, ...], int] = {}
    works: list[Floats] = list(kinds)
    of_class = list(range(len(kinds)))
    class_of = np.zeros(len(kind_of), np.int32)
    begun: set[int] = set()
    for d, kind in enumerate(kind_of.tolist()):
        times = measured.get(d)
        key = (kind, speeds[d], memories[d], b"" if times is None else times.tobytes())
        if key not in keys:
            work = kinds[kind] if speeds[d] == 1.0 else kinds[kind] / speeds[d]
            work = work if times is None else np.where(np.isnan(times), work, times)
            if kind in begun:
                keys[key] = len(works)
                works.append(work)
                of_class.append(kind)
            else:
                begun.add(kind)
                keys[key], works[kind] = kind, work
        class_of[d] = keys[key]
    return DeviceClasses(np.stack(works), class_of, np.array(of_class, np.int32))
