"""A store whose values are objects: S3 and what speaks its protocol, GCS, Azure, and plain HTTP(S).

What each operation asks of the service, and what it promises: docs/storage/objects.md.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any

from omnizarr.errors import KeyNameError, StoreError
from omnizarr.store.base import Buffer, ByteRange, Change, Facts, KeyLocks, Listing, Reader, Span, Store
from omnizarr.store.keys import check_key, check_prefix, is_legal
from omnizarr.store.objects.parts import fetch_spans, reader_of
from omnizarr.store.objects.places import PROCESS, S3_KEY_BYTES, connect
from omnizarr.store.objects.reads import (
    Absent,
    State,
    facts_of_state,
    failures,
    fetch,
    head,
    read_into,
    state_of,
)
from omnizarr.store.ranges import check_part, check_spans, check_start

# From here on a value goes in parts; below, one request is quicker.
MULTIPART = 32 * 2**20
_PART = 16 * 2**20
_UPLOADS = 4
_PAGE = 1000
_TRIES = 100
_LONGEST_WAIT = 0.5

# Of all stores of this process, since two may be of one bucket.
_locks = KeyLocks(4096)
_proved: set[tuple[str, str]] = set()
_proving = threading.Lock()


class ObjectStore(Store):
    """Values as objects of a bucket, each under the path of the URL and its key.

    Nothing is asked of the service until a value is. HTTP is for reading only.

    Parameters
    ----------
    url
        `s3://bucket/path`, `gs://bucket/path`, `az://container/path`, `http(s)://host/path`.
    storage_options
        obstore's: `endpoint`, `region`, `skip_signature`, `allow_http`, `access_key_id`, …; those of
        its client (`timeout`, …), and `retry_config`. `conditional_put="process"` is ours: for servers
        that know no conditions, where no other process writes.

    name
        Another name than the URL without credentials: the address that it was found by.

    Raises
    ------
    StoreError
        The URL or an option is not one there is, or the extra `cloud` is not installed.
    """

    requests = 32
    deletes_at_once = _PAGE
    listed_at_once = _PAGE

    def __init__(
        self,
        url: str,
        *,
        read_only: bool = False,
        storage_options: Mapping[str, object] | None = None,
        name: str | None = None,
    ) -> None:
        self._made_of = (url, read_only, dict(storage_options or {}), name)
        self.place = connect(url, storage_options or {})
        self.name = self.place.name if name is None else name
        self.read_only = read_only or self.place.kind == "http"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, self._made_of

    def get(self, key: str, part: ByteRange | None = None) -> bytes | None:
        self._check(key)
        if part is not None:
            check_part(part)
        piece = fetch(self.place, key, part)
        return None if piece is None else bytes(piece.data)

    def get_into(self, key: str, out: memoryview, start: int = 0) -> int | None:
        self._check(key)
        check_start(start)
        # What is read from the start is read to the end: servers have less to do for a whole value.
        piece = fetch(self.place, key, Span(start, len(out)) if start else None)
        return None if piece is None else read_into(piece, out, start)

    def get_buffer(self, key: str) -> Buffer | None:
        self._check(key)
        piece = fetch(self.place, key)
        return None if piece is None else memoryview(piece.data)

    def get_ranges(self, key: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        self._check(key)
        check_spans(spans)
        return fetch_spans(self.place, key, spans)

    def reading(self, key: str) -> AbstractContextManager[Reader | None]:
        self._check(key)
        return nullcontext(reader_of(self.place, key))

    @property
    def identity(self) -> str:
        return f"{self.place.server} {self.place.name}"

    def size(self, key: str) -> int | None:
        found = self.facts(key)
        return None if found is None else found.size

    def facts(self, key: str) -> Facts | None:
        self._check(key)
        try:
            with failures(self.place, "read", key):
                return facts_of_state(state_of(head(self.place, key)))
        except Absent:
            return None

    def set(self, key: str, value: Buffer) -> None:
        self._check(key, writing=True)
        with self._alone(key):
            self._put(key, value)

    def set_if_absent(self, key: str, value: Buffer) -> bool:
        self._check(key, writing=True)
        with self._alone(key):
            if self.place.conditions == PROCESS:
                if self.exists(key):
                    return False
                self._put(key, value)
                return True
            self._prove(key)
            for wait in _waits():
                if self._put_if(key, value, None):
                    return True
                if self.exists(key):
                    return False
                time.sleep(wait)  # another write was under way, or it was deleted since
        raise self._contended(key)

    def update(self, key: str, change: Change) -> None:
        self._check(key, writing=True)
        with self._alone(key):
            if self.place.conditions != PROCESS:
                self._prove(key)
            for wait in _waits():
                piece = fetch(self.place, key)
                value = change(None if piece is None else bytes(piece.data))
                if value is None:
                    return self._delete(key) if piece is not None else None
                if self.place.conditions == PROCESS:
                    return self._put(key, value)
                if self._put_if(key, value, None if piece is None else piece.state):
                    return None
                time.sleep(wait)
        raise self._contended(key)

    def delete(self, key: str) -> None:
        self._check(key, writing=True)
        with self._alone(key):
            self._delete(key)

    def delete_many(self, keys: Sequence[str]) -> None:
        for key in keys:
            self._check(key, writing=True)
        for start in range(0, len(keys), _PAGE):
            self._delete_all(list(keys[start : start + _PAGE]))

    def delete_prefix(self, prefix: str) -> None:
        check_prefix(prefix)
        self.require_writable()
        listed = self.list_prefix(prefix)
        while page := list(islice(listed, _PAGE)):
            self._delete_all(page)

    def list_prefix(self, prefix: str = "") -> Iterator[str]:
        return (key for key, _ in self.list_sizes(prefix))

    def list_sizes(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        check_prefix(prefix)
        return ((key, meta["size"]) for key, meta in self._listed(prefix))

    def list_facts(self, prefix: str = "") -> Iterator[tuple[str, Facts]]:
        """Yield every key below a prefix with the facts of its value, by the requests of `list_prefix`."""
        check_prefix(prefix)
        return ((key, facts_of_state(state_of(meta))) for key, meta in self._listed(prefix))

    def list_dir(self, prefix: str = "") -> Listing:
        import obstore

        check_prefix(prefix)
        try:
            with failures(self.place, self._listing, prefix):
                found = obstore.list_with_delimiter(self.place.lister, self._listed_at(prefix))
        except Absent:
            return Listing([], [])
        start = len(self.place.before_listed)
        keys = [meta["path"][start:] for meta in found["objects"]]
        below = [f"{path[start:]}/" for path in found["common_prefixes"]]
        return Listing(sorted(self._ours(keys, prefix)), sorted(self._ours(below, prefix)))

    def _listed(self, prefix: str) -> Iterator[tuple[str, Any]]:
        import obstore

        start = len(self.place.before_listed)
        try:
            with failures(self.place, self._listing, prefix):
                pages = obstore.list(self.place.lister, self._listed_at(prefix), chunk_size=_PAGE)
            while True:
                with failures(self.place, self._listing, prefix):
                    page = next(pages, None)
                if page is None:
                    return
                metas = {meta["path"][start:]: meta for meta in page}
                yield from ((key, metas[self.place.at(key)]) for key in self._ours(list(metas), prefix))
        except Absent:
            return

    def _ours(self, paths: list[str], prefix: str) -> list[str]:
        """Return what may be keys below a prefix; a service may have other names too, and that itself."""
        place, start = self.place.at(prefix), len(self.place.before)
        below = [path[start:] for path in paths if path.startswith(place) and path != place]
        return [key for key in below if is_legal(key.rstrip("/"))]

    def _listed_at(self, prefix: str) -> str | None:
        return self.place.at(prefix).rstrip("/") or None

    @property
    def _listing(self) -> str:
        if self.place.kind == "http":
            hint = "consolidated metadata make that unnecessary, and nodes are found by their paths"
            return f"list: this server tells no names ({hint})"
        return "list"

    # Writing

    def _put(self, key: str, value: Buffer) -> None:
        import obstore

        data = _flat(value)
        with self._failing("write", key):
            obstore.put(
                self.place.client,
                self.place.at(key),
                data,
                use_multipart=len(data) > MULTIPART,
                chunk_size=_PART,
                max_concurrency=_UPLOADS,
            )

    def _put_if(self, key: str, value: Buffer, state: State | None) -> bool:
        """Store a value where the key is in a state, None for absent; say whether it was."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        mode: Any = "create"
        if state is not None:
            if state.e_tag is None and state.version is None:
                raise StoreError("cannot update: the server gives no ETag", store=self.name, key=key)
            known = {"e_tag": state.e_tag, "version": state.version}
            mode = {name: value for name, value in known.items() if value is not None}
        try:
            with self._failing("write", key, absent=True):
                path = self.place.at(key)
                obstore.put(self.place.client, path, _flat(value), mode=mode, use_multipart=False)
        except (AlreadyExistsError, PreconditionError, Absent):
            return False
        return True

    def _prove(self, key: str) -> None:
        """Find out, once for each bucket, whether a server keeps to conditions or ignores them."""
        bucket = (self.place.server, self.place.name.split("/")[2])
        if self.place.conditions != "unproved" or bucket in _proved:
            return
        with _proving:
            if bucket in _proved:
                return
            trial = f".{uuid.uuid4().hex}.partial"  # which is no key, and never listed
            try:
                kept = self._put_if(trial, b"1", None) and not self._put_if(trial, b"2", None)
                stale = State('"0123456789abcdef0123456789abcdef"', None, 1, None)
                kept = kept and not self._put_if(trial, b"3", stale)
            finally:
                self._delete(trial)
            if not kept:
                message = "cannot write safely: the server ignores If-None-Match or If-Match"
                hint = "conditional_put='process' in storage_options is for a single writing process"
                raise StoreError(f"{message}; {hint}", store=self.name, key=key)
            _proved.add(bucket)

    def _delete(self, key: str) -> None:
        import obstore

        try:
            with self._failing("delete", key, absent=True):
                obstore.delete(self.place.client, self.place.at(key))
        except Absent:
            pass

    def _delete_all(self, keys: list[str]) -> None:
        import obstore

        if not keys:
            return
        try:
            locks = _locks.all() if self.place.conditions == PROCESS else nullcontext()
            with locks, self._failing("delete", keys[0], absent=True):
                obstore.delete(self.place.client, [self.place.at(key) for key in keys])
        except Absent:  # of some services, where a key was deleted meanwhile
            for key in keys:
                self._delete(key)

    # Keys

    def _check(self, key: str, *, writing: bool = False) -> None:
        check_key(key)
        if self.place.kind != "http":
            length = len(key.encode()) + self.place.taken
            if length > S3_KEY_BYTES:
                message = f"not a key: expected at most {S3_KEY_BYTES} bytes with what is before it"
                raise KeyNameError(f"{message}, found {length}", store=self.name, key=key)
        if writing:
            self.require_writable(key)

    def _alone(self, key: str) -> AbstractContextManager[object]:
        """Return the lock of a key: within a process, writes wait for one another."""
        return _locks.of(f"{self.place.name}/{key}")

    def _failing(self, action: str, key: str, *, absent: bool = False) -> AbstractContextManager[None]:
        return failures(self.place, action, key, absent=absent)

    def _contended(self, key: str) -> StoreError:
        return StoreError(
            f"cannot write: others wrote between each of {_TRIES} tries", store=self.name, key=key
        )


def _made(url: str, read_only: bool, storage_options: dict[str, object], name: str | None) -> ObjectStore:
    return ObjectStore(url, read_only=read_only, storage_options=storage_options, name=name)


def _flat(value: Buffer) -> bytes | memoryview:
    """Return the bytes of a buffer as obstore takes them: one-dimensional, contiguous."""
    if isinstance(value, bytes):
        return value
    view = memoryview(value)
    return view.cast("B") if view.c_contiguous and view.nbytes else view.tobytes()


def _waits() -> Iterator[float]:
    """Yield how long to wait after each of the tries; longer each time, and never the same for two."""
    longest = 0.005
    for _ in range(_TRIES):
        yield random.uniform(0, longest)
        longest = min(2 * longest, _LONGEST_WAIT)
