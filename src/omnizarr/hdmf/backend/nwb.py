"""NWB files on Zarr.

https://nwb-schema.readthedocs.io
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import h5py
import pynwb
from hdmf.backends.io import HDMFIO
from hdmf.build import BuildManager, TypeMap

from omnizarr.errors import NodeTypeError, OmniZarrError
from omnizarr.hdmf.backend.io import ZarrIO
from omnizarr.hdmf.backend.quick_types import quick_manager
from omnizarr.hdmf.backend.target import Target
from omnizarr.hierarchy.group import Group

_OLDEST = 2
Version = tuple[str | None, tuple[int | str, ...] | None]


class NWBZarrIO(ZarrIO):
    """Reads and writes NWB files on Zarr, as `pynwb.NWBHDF5IO` does on HDF5.

    Parameters
    ----------
    path, mode, manager, synchronizer, object_codec_class, storage_options, force_overwrite
        As those of `ZarrIO`.
    load_namespaces
        Whether the specifications that are cached in the file are used, where it has any and there is neither
        a `manager` nor `extensions`.
    extensions
        Extensions of NWB: the path of a namespace in YAML, a TypeMap, or several of these.
    **others
        As those of `ZarrIO`.

    Raises
    ------
    ValueError
        Both `manager` and `extensions` are given.
    """

    def __init__(
        self,
        path: Any,
        mode: str = "r",
        manager: BuildManager | TypeMap | None = None,
        synchronizer: Any = None,
        object_codec_class: Any = None,
        storage_options: Mapping[str, Any] | None = None,
        force_overwrite: bool = False,
        load_namespaces: bool = True,
        extensions: str | TypeMap | Sequence[str | TypeMap] | None = None,
        **others: Any,
    ) -> None:
        if manager is not None and extensions is not None:
            raise ValueError("manager and extensions: expected one of them, found both")
        self._loads = load_namespaces
        self._extensions = extensions
        super().__init__(
            path,
            mode,
            manager,
            synchronizer,
            object_codec_class,
            storage_options,
            force_overwrite,
            **others,
        )

    def _manager_for(self, given: BuildManager | TypeMap | None) -> BuildManager:
        if given is not None:
            return super()._manager_for(given)
        types = pynwb.get_type_map()
        if self._extensions is not None:
            _extend(types, self._extensions)
        elif self._loads:
            self.load_namespaces(types, file=self.file)
        return quick_manager(types)

    @staticmethod
    def can_read(path: Any) -> bool:
        """Say whether there is an NWB file of version 2 or later at a place."""
        try:
            _, version = version_of(Target(path).open("r"))
        except (OmniZarrError, OSError):
            return False
        return version is not None and isinstance(version[0], int) and version[0] >= _OLDEST

    @property
    def nwb_version(self) -> Version:
        """The version of NWB, as it is stored and in parts; (None, None) where there is none yet."""
        return version_of(self.file)

    def read(self, skip_version_check: bool = False) -> Any:
        """Return the NWBFile.

        Raises
        ------
        RefusedError
            The file is new, or empty.
        NodeTypeError
            It is no NWB file, or older than version 2, and not `skip_version_check`.
        """
        if not skip_version_check and self.mode not in ("w", "w-", "x"):
            text, version = self.nwb_version
            if version is None:
                raise NodeTypeError("expected an NWB file, found no nwb_version", store=self.source)
            if not isinstance(version[0], int) or version[0] < _OLDEST:
                raise NodeTypeError(f"expected NWB 2 or later, found {text}", store=self.source)
        return super().read()

    def export(  # type: ignore[override]
        self,
        src_io: HDMFIO,
        nwbfile: Any = None,
        write_args: Mapping[str, Any] | None = None,
        cache_spec: bool = True,
        **options: Any,
    ) -> None:
        """Write what another NWB file holds into this new one.

        Parameters
        ----------
        nwbfile
            The container that was read from it; by default the file as it is.
        src_io, write_args, cache_spec, **options
            As those of `ZarrIO.export`.
        """
        super().export(src_io, nwbfile, write_args, cache_spec=cache_spec, **options)

    @staticmethod
    def read_nwb(path: Any, storage_options: Mapping[str, Any] | None = None) -> Any:
        """Return the NWBFile at a place; its file stays open, as its `read_io`."""
        return NWBZarrIO(path, "r", storage_options=storage_options).read()


def read_nwb(path: Any, *, storage_options: Mapping[str, Any] | None = None) -> Any:
    """Return the NWBFile at a place, on Zarr or in HDF5; its file stays open, as its `read_io`.

    Pynwb's own function of this name knows HDF5 and the classes of hdmf-zarr only.

    Parameters
    ----------
    path
        What `NWBZarrIO` takes; or the path of an HDF5 file.
    storage_options
        For stores on a network.

    Raises
    ------
    StoreNotFoundError, NodeNotFoundError
        There is nothing, or no Zarr hierarchy.
    NodeTypeError
        It is no NWB file, or older than version 2.
    """
    target = Target(path, storage_options)
    if target.is_local and h5py.is_hdf5(target.source):
        return pynwb.NWBHDF5IO(target.source, "r").read()
    return NWBZarrIO.read_nwb(path, storage_options)


def version_of(root: Group) -> Version:
    """Return the version of NWB that a file states, as it is stored and in parts."""
    text = root.metadata.attributes.get("nwb_version")
    if not isinstance(text, str):
        return None, None
    plain = text.replace("NWB-", "").replace("-", ".").replace("_", ".")
    return text, tuple(int(part) if part.isdecimal() else part for part in plain.split("."))


def _extend(types: TypeMap, extensions: str | TypeMap | Sequence[str | TypeMap]) -> None:
    given = [extensions] if isinstance(extensions, str | TypeMap) else extensions
    for extension in given:
        if isinstance(extension, TypeMap):
            _add_types(types, extension)
        else:
            types.load_namespaces(extension)


def _add_types(types: TypeMap, others: TypeMap) -> None:
    """Add the namespaces of another map that are new, and its classes."""
    known, found = types.namespace_catalog, others.namespace_catalog
    for name in found.namespaces:
        if name not in known.namespaces:
            known.add_namespace(name, found.get_namespace(name))
    types.merge(others)
