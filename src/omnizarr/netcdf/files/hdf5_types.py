"""netCDF's types as HDF5's, and attributes in them.

https://docs.hdfgroup.org/hdf5/latest/group___h5_t.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from omnizarr.netcdf.extras import optional
from omnizarr.netcdf.model.items import AnyArray, to_numpy
from omnizarr.netcdf.model.nodes import AttributeModel
from omnizarr.netcdf.model.types import CHAR, STRING, AtomicType, Compound, Endian, Enum, NcType, Opaque, Vlen


class HDF5Types:
    """The types of one file; those of the user are committed, each once."""

    def __init__(self) -> None:
        self._h5: Any = optional("h5py")
        self._committed: dict[str, Any] = {}

    def commit(self, group: Any, kind: NcType) -> None:
        """Give a type of the user its name in a group."""
        made = self._made(kind, "little")
        made.commit(group.id, str(kind).encode("utf-8", "surrogateescape"), self.link_names())
        self._committed[getattr(kind, "path", "")] = made

    def link_names(self) -> Any:
        """Return the properties of a link whose name is UTF-8."""
        found = self._h5.h5p.create(self._h5.h5p.LINK_CREATE)
        found.set_char_encoding(self._h5.h5t.CSET_UTF8)
        return found

    def of(self, kind: NcType, endian: Endian = "little") -> Any:
        """Return the type of stored values."""
        return self._committed.get(getattr(kind, "path", "")) or self._made(kind, endian)

    def _made(self, kind: NcType, endian: Endian) -> Any:
        h5t = self._h5.h5t
        match kind:
            case AtomicType():
                return self._atomic(kind, endian)
            case Enum():
                made = h5t.enum_create(self._atomic(kind.base, endian))
                for name, value in kind.members:
                    made.enum_insert(name.encode(), value)
            case Opaque():
                made = h5t.create(h5t.OPAQUE, kind.length)
            case Vlen():
                made = h5t.vlen_create(self.of(kind.base, endian))
            case Compound():
                made = self._compound(kind, endian)
        return made

    def _compound(self, kind: Compound, endian: Endian) -> Any:
        h5t = self._h5.h5t
        fields = []
        for field in kind.fields:
            of = self.of(field.type, endian)
            fields.append((field.name, h5t.array_create(of, field.shape) if field.shape else of))
        made = h5t.create(h5t.COMPOUND, sum(of.get_size() for _, of in fields))
        offset = 0
        for name, of in fields:
            made.insert(name.encode(), offset, of)
            offset += of.get_size()
        return made

    def _atomic(self, kind: AtomicType, endian: Endian) -> Any:
        if kind is STRING:
            return self._text(self._h5.h5t.VARIABLE, self._h5.h5t.CSET_UTF8)
        if kind is CHAR:
            # As numpy pads: HDF5 would convert to a terminated text whose only byte is its end.
            made = self._text(1, self._h5.h5t.CSET_ASCII)
            made.set_strpad(self._h5.h5t.STR_NULLPAD)
            return made
        return self._h5.h5t.py_create(kind.stored(endian))

    def _text(self, size: int, encoding: int) -> Any:
        made = self._h5.h5t.C_S1.copy()
        made.set_size(size)
        made.set_strpad(self._h5.h5t.STR_NULLTERM)
        made.set_cset(encoding)
        return made

    # --- attributes

    def put_attribute(self, owner: Any, attribute: AttributeModel) -> None:
        """Store an attribute, as netCDF-C does: texts as scalars, other values along one axis."""
        h5s = self._h5.h5s
        if attribute.type is CHAR:
            text = str(attribute.value).encode("utf-8", "surrogateescape")
            kind = self._text(max(1, len(text)), self._h5.h5t.CSET_ASCII)
            space = h5s.create(h5s.SCALAR) if text else h5s.create(h5s.NULL)
            self._put(owner, attribute.name, kind, space, np.array(text, f"S{max(1, len(text))}"), kind)
            return
        kind = self.of(attribute.type)
        values = to_numpy(attribute.type, attribute.values)
        space = h5s.create_simple((len(values),)) if len(values) else h5s.create(h5s.NULL)
        memory, data = self.in_memory(kind, values)
        self._put(owner, attribute.name, kind, space, data, memory)

    def put_number(self, owner: Any, name: str, values: Any) -> None:
        """Store an attribute of netCDF's own: an integer, or several."""
        data = np.array(values, "<i4")
        h5s = self._h5.h5s
        space = h5s.create_simple(data.shape) if data.ndim else h5s.create(h5s.SCALAR)
        kind = self._h5.h5t.STD_I32LE
        self._put(owner, name, kind, space, data, kind)

    def _put(self, owner: Any, name: str, kind: Any, space: Any, data: AnyArray, memory: Any) -> None:
        made = self._h5.h5a.create(owner.id, name.encode("utf-8", "surrogateescape"), kind, space)
        if space.get_simple_extent_type() != self._h5.h5s.NULL:
            made.write(data, mtype=memory)

    def in_memory(self, kind: Any, values: AnyArray) -> tuple[Any, AnyArray]:
        """Return the type of values in memory, and the values in a form that h5py converts from."""
        dtype = kind.dtype
        if not dtype.hasobject:
            stored = np.ascontiguousarray(values.astype(dtype, copy=False))
            return (kind if dtype.kind in "SV" else self._h5.h5t.py_create(stored.dtype)), stored
        stored = np.ascontiguousarray(values.astype(dtype))
        return self._h5.h5t.py_create(dtype), stored
