"""How big the workloads are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Lengths and counts.

    Attributes
    ----------
    images, image
        W1: how many chunks of `image` by `image` float32 elements.
    small_chunks
        W2: chunks of 64 by 64 float32 elements along each axis.
    shards, shard
        W3: shards along each axis, and the edge of one in uint16 elements.
    tiles, tile
        W4: chunks of `tile` by `tile` float32 elements along each axis.
    points
        W4: scattered elements.
    groups, arrays
        W5: groups, and arrays in each.
    objects_down, objects_across
        W7: chunks of 256 KB along each axis of an array on an object store.
    fields, field
        W8: how many records of `field` by `field` float32 elements are read and written.
    converted
        W8: how many of them a file has that is converted; W11, W12: and what is written there.
    variables
        W8: variables of a dataset that is opened; W11: two and a half times as many.
    records
        W8: how many records are appended one by one; W11: through how many chunks a time series is read.
    objects
        W10: series of an NWB file that is opened and written.
    samples, channels
        W10: how long a series of int16 is, and how wide.
    """

    images: int
    image: int
    small_chunks: int
    shards: tuple[int, int, int]
    shard: int
    tiles: int
    tile: int
    points: int
    groups: int
    arrays: int
    objects_down: int
    objects_across: int
    fields: int
    field: int
    converted: int
    variables: int
    records: int
    objects: int
    samples: int
    channels: int


SIZES = {
    "full": Sizes(
        images=32,
        image=2048,
        small_chunks=64,
        shards=(2, 2, 2),
        shard=256,
        tiles=16,
        tile=512,
        points=10_000,
        groups=200,
        arrays=10,
        objects_down=25,
        objects_across=20,
        fields=100,
        field=512,
        converted=500,
        variables=200,
        records=1000,
        objects=1000,
        samples=1_953_125,
        channels=128,
    ),
    "quick": Sizes(
        images=8,
        image=2048,
        small_chunks=32,
        shards=(1, 1, 1),
        shard=256,
        tiles=8,
        tile=512,
        points=2_000,
        groups=40,
        arrays=10,
        objects_down=10,
        objects_across=10,
        fields=20,
        field=512,
        converted=50,
        variables=50,
        records=50,
        objects=200,
        samples=195_313,
        channels=128,
    ),
    "tiny": Sizes(
        images=2,
        image=64,
        small_chunks=3,
        shards=(1, 1, 1),
        shard=128,
        tiles=3,
        tile=32,
        points=50,
        groups=3,
        arrays=2,
        objects_down=2,
        objects_across=2,
        fields=3,
        field=32,
        converted=4,
        variables=3,
        records=3,
        objects=4,
        samples=300,
        channels=4,
    ),
}
