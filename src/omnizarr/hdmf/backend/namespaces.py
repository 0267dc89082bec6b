"""The specifications that are cached in a file, for HDMF's catalogs.

https://hdmf-zarr.readthedocs.io/en/stable/storage.html#caching-format-specifications
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import h5py
import numpy as np
from hdmf.backends.utils import NamespaceToBuilderHelper
from hdmf.spec import SpecReader, SpecWriter

from omnizarr.errors import NodeNotFoundError
from omnizarr.hdmf.layout import SPECLOC
from omnizarr.hdmf.specs import UNVERSIONED, read_source, read_spec, spec_versions, write_specs
from omnizarr.hierarchy.group import Group
from omnizarr.hierarchy.requests import each
from omnizarr.jsontypes import parse_json
from omnizarr.metadata.group import NodeMetadata

NAMESPACE = "namespace"


class StoredSpecReader(SpecReader):  # type: ignore[misc]
    """Reads one version of one namespace, each source when it is asked for.

    Parameters
    ----------
    root
        The root of the file.
    documents
        Texts by the names of their sources, of those that were read already.
    """

    def __init__(self, root: Group, name: str, version: str, documents: Mapping[str, str]) -> None:
        super().__init__(source=f"{root.store_path}:{name}/{version}")
        self._place = (root, name, version)
        self._documents = dict(documents)

    def read_spec(self, spec_path: str) -> Any:
        """Return the specifications of a source."""
        return self._read(spec_path)

    def read_namespace(self, ns_path: str) -> list[Any]:
        """Return the namespaces."""
        return cast("list[Any]", self._read(ns_path)["namespaces"])

    def _read(self, source: str) -> Any:
        if source not in self._documents:
            try:
                self._documents[source] = read_source(*self._place, source)
            except KeyError:
                message = f"the cached namespace has no source {source!r}"
                raise NodeNotFoundError(message, store=self.source) from None
        return parse_json(self._documents[source].encode())


def stored_versions(root: Group) -> dict[str, str]:
    """Return the latest version of each namespace that is cached in a file."""
    return {name: versions[-1] for name, versions in spec_versions(root).items() if versions}


def load_stored(catalog: Any, root: Group, namespaces: Sequence[str] | None = None) -> dict[str, Any]:
    """Load the latest version of namespaces that are cached in a file.

    Parameters
    ----------
    catalog
        HDMF's NamespaceCatalog or TypeMap.
    namespaces
        Their names; by default all.

    Returns
    -------
    dict
        For each namespace that was loaded, the types that it takes from which others; empty where the file
        has no specifications.

    Raises
    ------
    NodeNotFoundError
        One of `namespaces` is not there.
    """
    versions = stored_versions(root)
    if not versions:
        return {}
    names = list(versions) if namespaces is None else list(namespaces)
    for name in names:
        if name not in versions:
            found = ", ".join(sorted(versions))
            message = f"no namespace {name!r} is cached; there are {found}"
            raise NodeNotFoundError(message, store=root.store.name)
    texts = each(root.store, lambda name: read_source(root, name, versions[name], NAMESPACE), names)
    readers = {
        name: StoredSpecReader(root, name, versions[name], {NAMESPACE: text})
        for name, text in zip(names, texts, strict=True)
    }
    return cast("dict[str, Any]", catalog.load_namespaces(NAMESPACE, reader=readers))


def cache_specs(catalog: Any, root: Group, source: Any = None) -> dict[str, NodeMetadata]:
    """Write the specifications of a catalog into a file; versions that are there already stay.

    Parameters
    ----------
    source
        The open file that is exported, whose specifications are taken as they are: those that HDMF makes of
        its catalog have what was inherited written out.

    Returns
    -------
    dict
        The nodes that are new, by path from the root.
    """
    stored = spec_versions(root)
    specs: dict[str, dict[str, dict[str, str]]] = {}
    for name in catalog.namespaces:
        version = str(catalog.get_namespace(name).version or UNVERSIONED)
        if version not in stored.get(name, ()):
            specs[name] = {version: _texts_in(source, name, version) or _texts_of(catalog, name)}
    return write_specs(root, specs)


def _texts_in(source: Any, name: str, version: str) -> dict[str, str]:
    """Return the texts of a namespace in an open file of Zarr or HDF5; none where it has none."""
    if isinstance(source, Group):
        return read_spec(source, name, version) if version in spec_versions(source).get(name, ()) else {}
    if not isinstance(source, h5py.File) or not isinstance(source.attrs.get(SPECLOC), h5py.Reference):
        return {}
    place = source[source.attrs[SPECLOC]].get(f"{name}/{version}", {})
    found = {key: np.asarray(dataset[()]).reshape(-1)[0] for key, dataset in place.items()}
    return {key: text.decode() if isinstance(text, bytes) else str(text) for key, text in found.items()}


def _texts_of(catalog: Any, name: str) -> dict[str, str]:
    documents = _Documents()
    NamespaceToBuilderHelper.convert_namespace(catalog, name).export(NAMESPACE, writer=documents)
    return documents.found


class _Documents(SpecWriter):  # type: ignore[misc]
    """Gathers what HDMF writes of a namespace."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def write_spec(self, spec: Any, path: str) -> None:
        """Take the specifications of a source."""
        self.found[path] = json.dumps(spec, separators=(",", ":"))

    def write_namespace(self, namespace: Any, path: str) -> None:
        """Take the namespace."""
        self.write_spec({"namespaces": [namespace]}, path)
