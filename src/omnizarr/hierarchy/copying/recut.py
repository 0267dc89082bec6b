"""Arrays in another format, with other chunks or other codecs: their metadata, nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from omnizarr.codecs.registry import codec_class
from omnizarr.errors import ConversionError
from omnizarr.geometry.grid import Grid, RegularGrid
from omnizarr.hierarchy.creating.chunking import chosen_grid, chosen_shards
from omnizarr.hierarchy.creating.codec_arguments import CodecArguments, codecs_of_v3, sharded
from omnizarr.jsontypes import JsonObject, Problems, read_ints, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import chain_to_v2, chain_to_v3
from omnizarr.metadata.extension import Extension, read_extensions
from omnizarr.metadata.formats.base import Format

KEEP: Literal["keep"] = "keep"
PerArray: TypeAlias = "Any | Mapping[str, Any]"

_RECUT_FIELDS = frozenset({"codecs", "chunk_grid", "chunks", "compressor", "filters", "order", "dtype"})


class Cut(NamedTuple):
    """What changes about one array; `"keep"` leaves it as it is.

    Attributes
    ----------
    chunks, shards
        As in `create_array`. New chunks without shards are not in shards.
    filters, compressors
        What takes the place of all array-to-array codecs, or of all bytes-to-bytes codecs.
    """

    chunks: Any = KEEP
    shards: Any = KEEP
    filters: Any = KEEP
    compressors: Any = KEEP


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """What changes about the arrays of a hierarchy: one value for all, or one for each path."""

    chunks: PerArray = KEEP
    shards: PerArray = KEEP
    filters: PerArray = KEEP
    compressors: PerArray = KEEP

    def of(self, path: str) -> Cut:
        """Return what changes about the array at a path relative to what is copied."""
        return Cut(*(_for_path(getattr(self, name), path) for name in Cut._fields))

    def check_paths(self, known: Collection[str]) -> None:
        """Refuse paths at which there is no array.

        Raises
        ------
        ConversionError
            There is one.
        """
        for name in Cut._fields:
            value = getattr(self, name)
            for path in value if _is_per_array(value) else ():
                if path.strip("/") not in known:
                    there = ", ".join(sorted(known)[:10]) or "none"
                    raise ConversionError(f"{name}: there is no array {path!r}; arrays: {there}")


def keeps(value: Any) -> bool:
    """Say whether a value is the word that leaves things as they are."""
    return isinstance(value, str) and value == KEEP


def _is_per_array(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return not any(isinstance(value.get(name), str) for name in ("name", "id"))


def _for_path(value: Any, path: str) -> Any:
    if not _is_per_array(value):
        return value
    return next((item for name, item in value.items() if name.strip("/") == path), KEEP)


def recut(metadata: ArrayMetadata, format: Format, cut: Cut) -> ArrayMetadata:
    """Return an array with other chunks or codecs.

    Raises
    ------
    ConversionError
        The format has no such chunks or codecs.
    ValueError, TypeError
        The chunks or codecs do not fit the array.
    """
    if all(keeps(value) for value in cut):
        return metadata
    if format.zarr_format != 2:
        return _recut_v3(metadata, cut)
    if not keeps(cut.shards) and cut.shards is not None:
        raise ConversionError("shards: Zarr v2 has no shards")
    chain = chain_to_v3(metadata.codecs, metadata.data_type)
    changed = _recut_v3(replace(metadata, codecs=chain.codecs, data_type=chain.data_type), cut)
    back = chain_to_v2(changed.codecs, changed.data_type, metadata.ndim)
    if chain.losses or back.losses:
        raise ConversionError("; ".join((*chain.losses, *back.losses)))
    if not isinstance(changed.grid, RegularGrid):
        raise ConversionError("chunks: Zarr v2 has chunks of one shape alone")
    return replace(changed, codecs=back.codecs, data_type=back.data_type)


class _Parts(NamedTuple):
    """A v3 array taken apart: its chunks, the shards they lie in, and the codecs of a chunk."""

    grid: Grid
    shards: tuple[int, ...] | None
    index_location: str
    codecs: tuple[Extension, ...]


def _recut_v3(metadata: ArrayMetadata, cut: Cut) -> ArrayMetadata:
    parts = _taken_apart(metadata)
    shape, itemsize = metadata.shape, metadata.data_type.dtype.itemsize
    grid = parts.grid if keeps(cut.chunks) else chosen_grid(cut.chunks, shape, itemsize)
    codecs = _codecs(parts.codecs, metadata, cut)
    shards = cut.shards
    if keeps(shards):
        shards = parts.shards if keeps(cut.chunks) else None
    if shards is not None:
        if not isinstance(grid, RegularGrid):
            raise ConversionError("chunks: those inside shards have one shape")
        inner = grid.chunk_shape
        grid = RegularGrid(chosen_shards(shards, inner, shape, itemsize))
        codecs = (sharded(codecs, inner, parts.index_location),)
    spelling = {name: value for name, value in metadata.spelling.items() if name not in _RECUT_FIELDS}
    return replace(metadata, grid=grid, codecs=codecs, spelling=spelling)


def _taken_apart(metadata: ArrayMetadata) -> _Parts:
    if len(metadata.codecs) == 1 and metadata.codecs[0].name == "sharding_indexed":
        assert isinstance(metadata.grid, RegularGrid)
        options: JsonObject = metadata.codecs[0].configuration
        problems = Problems()
        chunks = read_ints(options.get("chunk_shape"), "chunk_shape", problems, low=1)
        codecs = read_extensions(options.get("codecs"), "codecs", problems)
        problems.check()
        location = str(options.get("index_location", "end"))
        return _Parts(RegularGrid(chunks), metadata.grid.chunk_shape, location, codecs)
    return _Parts(metadata.grid, None, "end", metadata.codecs)


def _codecs(codecs: tuple[Extension, ...], metadata: ArrayMetadata, cut: Cut) -> tuple[Extension, ...]:
    if keeps(cut.filters) and keeps(cut.compressors):
        return codecs
    at = next((i for i, codec in enumerate(codecs) if _is_serializer(codec)), None)
    if at is None:
        names = shown([codec.name for codec in codecs])
        raise ConversionError(f"none of the codecs {names} turns an array into bytes")
    arguments = CodecArguments(
        filters=codecs[:at] if keeps(cut.filters) else cut.filters,
        serializer=codecs[at],
        compressors=codecs[at + 1 :] if keeps(cut.compressors) else cut.compressors,
    )
    return codecs_of_v3(arguments, metadata.data_type, metadata.ndim)


def _is_serializer(codec: Extension) -> bool:
    """Say whether a codec turns arrays into bytes; the other kinds know what they encode, or bind to it."""
    found = codec_class(codec.name)
    return found is not None and not hasattr(found, "encoded_spec") and not hasattr(found, "bind")
