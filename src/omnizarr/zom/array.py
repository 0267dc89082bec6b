"""Models of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self

from omnizarr.hierarchy.array import Array
from omnizarr.jsontypes import same_json
from omnizarr.metadata.array import ArrayMetadata
from omnizarr.zom.building import array_metadata, new_metadata
from omnizarr.zom.checked import Attrs
from omnizarr.zom.known import KnownDocument
from omnizarr.zom.node import NodeSpec
from omnizarr.zom.version import Kind


class ArraySpecBase(NodeSpec[Attrs], Generic[Attrs]):
    """An array: the properties of the specification's array metadata, and nothing else."""

    kind: ClassVar[Kind] = "array"

    @property
    def metadata(self) -> ArrayMetadata:
        """The array as floor 3 has it, attributes as JSON."""
        found = super().metadata
        assert isinstance(found, ArrayMetadata)
        return found

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.metadata.shape)

    @classmethod
    def from_array(cls, array: Any, **arguments: Any) -> Self:
        """Return the model of an array like another one; of its values, only objects are looked at.

        Parameters
        ----------
        array
            Anything with a shape and a dtype, or that numpy can make an array of. Of what has them, chunks,
            attributes (`attrs`), names of dimensions and fill value are taken over too; of omnizarr's arrays
            the codecs and chunk keys. Zarr v2 has the names of dimensions in the attribute
            `_ARRAY_DIMENSIONS`, as xarray; what else the version cannot say is left out.
        **arguments
            What `create_array` takes, in place of what was taken over or chosen: `chunks`, `shards`,
            `filters`, `compressors`, `fill_value`, `attributes`, `dimension_names`, … Fill value and codecs
            are not taken over for another `dtype`, nor chunks and names for a `shape` of another rank.

        Raises
        ------
        ConversionError, MetadataError, ValueError, TypeError
            The arguments do not fit together, or cannot be said in this version of Zarr.
        """
        metadata = array_metadata(array, cls.version.number, arguments)
        return cls._read(KnownDocument(cls.version.write(metadata), metadata))

    @classmethod
    def from_shape(cls, shape: int | Sequence[int], dtype: Any, **arguments: Any) -> Self:
        """Return the model of an array that `create_array` would make; nothing is allocated.

        Parameters
        ----------
        shape, dtype, **arguments
            What `create_array` takes: `chunks`, `shards`, `compressors`, `fill_value`, `attributes`, …

        Raises
        ------
        ConversionError, MetadataError, ValueError, TypeError
            The arguments do not fit together, or cannot be said in this version of Zarr.
        """
        metadata = new_metadata(cls.version.number, {**arguments, "shape": shape, "dtype": dtype})
        return cls._read(KnownDocument(cls.version.write(metadata), metadata))

    if TYPE_CHECKING:  # done by `NodeSpec`; here it is known what is opened

        def to_store(
            self,
            store: Any = None,
            path: str | None = None,
            *,
            overwrite: bool = False,
            exist_ok: bool = False,
            consolidated: bool = False,
            storage_options: Mapping[str, Any] | None = None,
        ) -> Array: ...

    def _equals(self, other: NodeSpec[Any]) -> bool:
        return isinstance(other, ArraySpecBase) and same_json(self.canonical(), other.canonical())
