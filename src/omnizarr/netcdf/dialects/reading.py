"""Reading a dataset by what a generation of NCZarr notes about its nodes."""

from __future__ import annotations

from collections.abc import Iterator

from omnizarr.errors import OmniZarrError
from omnizarr.hierarchy.array import Array
from omnizarr.hierarchy.group import Group
from omnizarr.netcdf.dialects.arrays import array_type, describe_array, with_fill, with_string_shuffle
from omnizarr.netcdf.dialects.attributes import decode_attributes
from omnizarr.netcdf.dialects.base import Found
from omnizarr.netcdf.dialects.notes import GroupNotes, Notes
from omnizarr.netcdf.dialects.reconcile import reconcile
from omnizarr.netcdf.model import DatasetModel, GroupModel, VariableModel, join


def read_annotated(root: Group, dialect: str, notes: Notes) -> Found:
    """Return the dataset below a group; what cannot be shown warns, and stays out."""
    return _Reader(root, dialect, notes).run()


class _Reader:
    """One reading of a dataset."""

    def __init__(self, root: Group, dialect: str, notes: Notes) -> None:
        self.root = root
        self.notes = notes
        self.noted: dict[str, int] = {}
        properties = root.metadata.attributes.get("_NCProperties")
        self.found = Found(
            DatasetModel(
                root=GroupModel(name="/"),
                dialect=dialect,
                properties=properties if isinstance(properties, str) else None,
            )
        )

    def run(self) -> Found:
        root = self.group(self.root, "/", "/")
        self.found.set_root(root)
        reconcile(self.found, self.noted)
        return self.found

    def group(self, node: Group, path: str, name: str) -> GroupModel:
        self.found.groups[path] = node
        notes = self.notes.of_group(node)
        self.noted |= notes.growing
        children = dict(self.children(node, path, notes))
        return GroupModel(
            name=name,
            dimensions=notes.dimensions,
            attributes=decode_attributes(node.metadata.attributes, self.notes.attribute_types(node)),
            variables=tuple(
                variable
                for inner, child in children.items()
                if isinstance(child, Array) and (variable := self.variable(child, path, inner)) is not None
            ),
            groups=tuple(
                self.group(child, join(path, inner), inner)
                for inner, child in children.items()
                if isinstance(child, Group)
            ),
        )

    def children(self, node: Group, path: str, notes: GroupNotes) -> Iterator[tuple[str, Group | Array]]:
        """Yield the arrays, then the groups that the notes list; what is not there, or unreadable, warns."""
        for names, kind in ((notes.arrays, Array), (notes.groups, Group)):
            for name in names or ():
                child = self.child(node, path, name)
                if isinstance(child, kind):
                    yield name, child
                elif child is not None:
                    expected, other = kind.__name__.lower(), type(child).__name__.lower()
                    self.found.leave_out(
                        "missing-node", join(path, name), f"expected {expected}, found {other}"
                    )

    def child(self, node: Group, path: str, name: str) -> Group | Array | None:
        try:
            return node[name]
        except KeyError as error:
            self.found.leave_out("missing-node", join(path, name), str(error))
        except OmniZarrError as error:
            self.found.leave_out("unreadable", join(path, name), str(error))
        return None

    def variable(self, array: Array, path: str, name: str) -> VariableModel | None:
        where = join(path, name)
        metadata = array.metadata
        notes = self.notes.of_array(array)
        kind = array_type(metadata, has_char=True)
        if kind is None:
            self.found.leave_out("unmapped", where, f"netCDF has no type for {metadata.data_type.name}")
            return None
        references = () if notes.is_scalar else notes.references
        if len(references) != len(metadata.shape) and not notes.is_scalar:
            axes = len(metadata.shape)
            self.found.leave_out(
                "dimension-conflict", where, f"{len(references)} dimension references for {axes} axes"
            )
            return None
        attributes = decode_attributes(metadata.attributes, self.notes.attribute_types(array))
        variable = describe_array(name, metadata, kind, references, attributes)
        array.metadata = with_fill(with_string_shuffle(metadata, kind), variable)
        self.found.arrays[where] = array
        return variable
