"""Counting colours and compressing pixels for GIF files: compiled loops over flat arrays."""

from __future__ import annotations

import numpy as np
from numba import njit

BITS = 7
"""Bits per channel by which colours are told apart when a palette is chosen."""
BINS = 1 << (3 * BITS)
RED, GREEN, BLUE = 3, 4, 2
"""What a channel's difference counts: eyes see most of it in green."""
CLEAR, END, FIRST_FREE = 256, 257, 258
"""Codes of GIF's LZW for pixels of 8 bits."""
MOST_CODES = 4096
SLOTS = 1 << 14


@njit(cache=True, nogil=True)
def bin_of(colour: int) -> int:
    """The bin of a packed colour."""
    red, green, blue = (colour >> 16) & 255, (colour >> 8) & 255, colour & 255
    drop = 8 - BITS
    return ((red >> drop) << (2 * BITS)) | ((green >> drop) << BITS) | (blue >> drop)


@njit(cache=True, nogil=True)
def count_colours(pixels, counts, sums) -> None:
    """Add ``pixels`` (uint32[n]) to ``counts`` int64[BINS] and to the sums of their channels, int64[BINS, 3]."""
    for i in range(pixels.shape[0]):
        colour = np.int64(pixels[i])
        b = bin_of(colour)
        counts[b] += 1
        sums[b, 0] += (colour >> 16) & 255
        sums[b, 1] += (colour >> 8) & 255
        sums[b, 2] += colour & 255


@njit(cache=True, nogil=True)
def nearest(colours, palette, out) -> None:
    """``out`` int64[n]: the entry of ``palette`` (float64[p, 3]) that is nearest to each of ``colours`` (float64[n, 3])."""
    for i in range(colours.shape[0]):
        least = np.inf
        for p in range(palette.shape[0]):
            dr = colours[i, 0] - palette[p, 0]
            dg = colours[i, 1] - palette[p, 1]
            db = colours[i, 2] - palette[p, 2]
            away = RED * dr * dr + GREEN * dg * dg + BLUE * db * db
            if away < least:
                least = away
                out[i] = p


@njit(cache=True, nogil=True)
def to_entries(pixels, entry_of_bin, palette, entries) -> None:
    """``entries`` uint8[n] of ``pixels`` (uint32[n]); ``entry_of_bin`` int16[BINS] is filled where it is still -1.

    ``palette`` float64[p, 3].
    """
    middle = (1 << (8 - BITS)) / 2 - 0.5
    before = np.uint32(0)
    entry = -1
    for i in range(pixels.shape[0]):
        if entry < 0 or pixels[i] != before:
            before = pixels[i]
            b = bin_of(np.int64(before))
            entry = entry_of_bin[b]
            if entry < 0:
                drop = 8 - BITS
                mask = (1 << BITS) - 1
                red = ((b >> (2 * BITS)) << drop) + middle
                green = (((b >> BITS) & mask) << drop) + middle
                blue = ((b & mask) << drop) + middle
                least = np.inf
                for p in range(palette.shape[0]):
                    dr, dg, db = red - palette[p, 0], green - palette[p, 1], blue - palette[p, 2]
                    away = RED * dr * dr + GREEN * dg * dg + BLUE * db * db
                    if away < least:
                        least = away
                        entry = p
                entry_of_bin[b] = entry
        entries[i] = entry


@njit(cache=True, nogil=True)
def compress(entries, out) -> int:
    """LZW codes (GIF89a, appendix F) of ``entries`` uint8[n >= 1] into ``out`` uint8[2 n + 16]; how many bytes they are."""
    keys = np.full(SLOTS, -1, np.int32)
    codes = np.empty(SLOTS, np.int32)
    held, bits = np.int64(CLEAR), 9
    wide, free, length = 9, FIRST_FREE, 0
    prefix = np.int64(entries[0])
    for i in range(1, entries.shape[0] + 1):
        found = np.int64(-1)
        slot = np.int64(0)
        key = np.int64(-1)
        if i < entries.shape[0]:
            key = (prefix << 8) | entries[i]
            slot = (key * 2654435761 >> 7) & (SLOTS - 1)
            while keys[slot] >= 0:
                if keys[slot] == key:
                    found = codes[slot]
                    break
                slot = (slot + 1) & (SLOTS - 1)
        if found >= 0:
            prefix = found
            continue
        held |= prefix << bits
        bits += wide
        while bits >= 8:
            out[length] = held & 255
            held >>= 8
            bits -= 8
            length += 1
        if i == entries.shape[0]:
            break
        if free < MOST_CODES:
            keys[slot] = key
            codes[slot] = free
            # The reader knows one entry fewer than we do, so codes grow when the entry just made needs it.
            if free == (1 << wide):
                wide += 1
            free += 1
        else:
            held |= np.int64(CLEAR) << bits
            bits += wide
            keys[:] = -1
            wide, free = 9, FIRST_FREE
        prefix = np.int64(entries[i])
    # The reader makes one more entry for the last code, which may widen the code that ends it all.
    if free == (1 << wide) and wide < 12:
        wide += 1
    held |= np.int64(END) << bits
    bits += wide
    while bits > 0:
        out[length] = held & 255
        held >>= 8
        bits -= 8
        length += 1
    return length
