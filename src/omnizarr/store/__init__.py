"""Keys to bytes: in memory, in directories, zip archives and object stores; and stores around stores."""

from omnizarr.store.base import Buffer, ByteRange, From, KeyLocks, Last, Listing, Reader, Span, Store
from omnizarr.store.databases.lmdb import LMDBStore
from omnizarr.store.databases.redis import RedisStore
from omnizarr.store.databases.sqlite import SQLiteStore
from omnizarr.store.directories.directory import DirectoryStore
from omnizarr.store.filesystems.fsspec import FsspecStore
from omnizarr.store.layers.cache import CachedStore
from omnizarr.store.layers.logged import LoggedStore
from omnizarr.store.layers.overlay import OverlayStore
from omnizarr.store.layers.wrap import CountingStore, FaultStore, ReadOnlyStore, WrappedStore
from omnizarr.store.memory import MemoryStore
from omnizarr.store.objects.objects import ObjectStore
from omnizarr.store.urls.open import Mode, StoreLike, open_store, split_fragment
from omnizarr.store.zips.inside import InnerZipStore
from omnizarr.store.zips.zip import ZipStore

__all__ = [
    "Buffer",
    "ByteRange",
    "CachedStore",
    "CountingStore",
    "DirectoryStore",
    "FaultStore",
    "From",
    "FsspecStore",
    "InnerZipStore",
    "KeyLocks",
    "LMDBStore",
    "Last",
    "Listing",
    "LoggedStore",
    "MemoryStore",
    "Mode",
    "ObjectStore",
    "OverlayStore",
    "ReadOnlyStore",
    "Reader",
    "RedisStore",
    "SQLiteStore",
    "Span",
    "Store",
    "StoreLike",
    "WrappedStore",
    "ZipStore",
    "open_store",
    "split_fragment",
]
