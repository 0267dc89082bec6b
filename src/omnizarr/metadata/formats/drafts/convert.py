"""Nodes in the idiom of the draft of 2019: what it cannot hold of others, and others of it.

Draft of June 2019, "Chunks - encoding": one compressor; filters are for an extension to define.
"""

from __future__ import annotations

from dataclasses import replace

from omnizarr.errors import ConversionError
from omnizarr.jsontypes import Problems, shown
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.metadata.chains import is_fortran
from omnizarr.metadata.chunk_keys import V2
from omnizarr.metadata.convert import DIMENSIONS, Converted, to_v3, without_shards
from omnizarr.metadata.extension import Extension
from omnizarr.metadata.formats.base import Format
from omnizarr.metadata.formats.drafts.compressor import write_chain
from omnizarr.metadata.formats.drafts.data_types import read_data_type
from omnizarr.metadata.formats.drafts.draft2019 import Draft2019
from omnizarr.metadata.formats.drafts.uris import CONSOLIDATED, same_extension
from omnizarr.metadata.group import GroupMetadata, NodeMetadata

_NAME = "the draft of 2019"


def to_draft(metadata: NodeMetadata) -> Converted:
    """Return a node as the draft of 2019 would have it: chunk keys `1.23`, dimensions named by an attribute.

    Chunk keys that it has too, with slashes say, stay.
    """
    if isinstance(metadata, GroupMetadata):
        plain = replace(metadata, extra={}, spelling={}, consolidated=None)
        return Converted(plain, _extra_losses(metadata), True)
    if is_of_draft(metadata):
        return Converted(metadata, (), True)
    inner, losses = without_shards(metadata, _NAME)
    converted = to_v3(inner)
    assert isinstance(converted.metadata, ArrayMetadata)
    codecs, lost = _codecs(converted.metadata.codecs, metadata.ndim)
    array, unnamed = _dimensions(converted.metadata)
    array = replace(
        array,
        codecs=codecs,
        chunk_keys=metadata.chunk_keys if metadata.chunk_keys.name == "v2" else V2,
        fill_value=None if metadata.fill_value is None else array.fill_value,
        extra={},
        spelling={},
    )
    same_bytes = converted.same_bytes and not losses and codecs == converted.metadata.codecs
    kept = tuple(loss for loss in converted.losses if "Zarr v3 allows no other field" not in loss)
    return Converted(array, (*losses, *kept, *lost, *unnamed, *_extra_losses(metadata)), same_bytes)


def as_draft(metadata: ArrayMetadata) -> ArrayMetadata:
    """Return an array that the draft of 2019 can hold.

    Raises
    ------
    ConversionError
        It cannot hold the array; every reason is named.
    """
    converted = to_draft(metadata)
    if converted.losses:
        raise ConversionError(f"{_NAME} cannot hold this node: " + "; ".join(converted.losses))
    assert isinstance(converted.metadata, ArrayMetadata)
    return converted.metadata


def is_of_draft(metadata: ArrayMetadata) -> bool:
    """Say whether an array was read from a document of a draft."""
    return "chunk_memory_layout" in metadata.spelling


def losses_elsewhere(metadata: NodeMetadata) -> tuple[str, ...]:
    """Return what no other format holds of a node that was read from a document of a draft."""
    found = []
    extensions = metadata.spelling.get("extensions")
    for extension in extensions if isinstance(extensions, list) else ():
        uri = extension.get("extension") if isinstance(extension, dict) else extension
        found.append(f"extension {shown(uri)}: drafts alone declare extensions of the protocol")
    data_type = metadata.spelling.get("data_type")
    if isinstance(metadata, ArrayMetadata) and is_of_draft(metadata) and isinstance(data_type, dict):
        instead_of = getattr(read_data_type(data_type, "", Problems()), "instead_of", "")
        if instead_of:
            found.append(f"data type: {metadata.data_type.name} stands in for {instead_of}")
    return tuple(found)


def _codecs(codecs: tuple[Extension, ...], ndim: int) -> tuple[tuple[Extension, ...], tuple[str, ...]]:
    """Return the memory layout, the byte order and the one compressor of a chain, and what else there was."""
    at = next((i for i, codec in enumerate(codecs) if codec.name == "bytes"), None)
    if at is None:
        return codecs, ()  # which cannot be written, for its data type too
    layout = codecs[:1] if is_fortran(codecs) else ()
    kept: tuple[Extension, ...] = ()
    losses: list[str] = []
    for codec in codecs[len(layout) : at]:
        if codec.name != "transpose":
            losses.append(f"codec {codec.name}: {_NAME} has no filters")
    for codec in codecs[at + 1 :]:
        try:
            write_chain((codecs[at], *kept, codec))
        except ConversionError:
            losses.append(f"codec {codec.name}: {_NAME} has one compressor, of those that it can name")
        else:
            kept = (codec,)
    return (*layout, codecs[at], *kept), tuple(losses)


def _dimensions(metadata: ArrayMetadata) -> tuple[ArrayMetadata, tuple[str, ...]]:
    names = metadata.dimension_names
    plain = replace(metadata, dimension_names=None)
    if names is None or not any(names):
        return plain, ()
    if None in names:
        return plain, (f"dimension names: the attribute {DIMENSIONS} names all dimensions or none",)
    if metadata.attributes.get(DIMENSIONS, list(names)) != list(names):
        return plain, (f"dimension names: the attribute {DIMENSIONS} says otherwise",)
    return replace(plain, attributes={**metadata.attributes, DIMENSIONS: list(names)}), ()


def _extra_losses(metadata: NodeMetadata) -> tuple[str, ...]:
    return tuple(f"{name}: {_NAME} has no other names" for name in metadata.extra)


def bootstrap_losses(format: Format) -> tuple[str, ...]:
    """Return what the bootstrap document of a hierarchy declares and no other format can."""
    if not isinstance(format, Draft2019):
        return ()
    declared = (extension.uri for extension in format.bootstrap.extensions)
    return tuple(
        f"extension {shown(uri)}: drafts alone declare extensions of the protocol"
        for uri in declared
        if not same_extension(uri, CONSOLIDATED)
    )
