"""Several writers store one hierarchy at the same time: who succeeds has all of it."""

import numpy as np
import pytest

import omnizarr
from omnizarr import zom
from omnizarr.errors import NodeExistsError
from omnizarr.store import MemoryStore

VERSIONS = {2: zom.v2, 3: zom.v3}
POSITIONS = range(1, 6)


@pytest.fixture(params=[2, 3])
def version(request):
    return VERSIONS[request.param]


def model(version, title=""):
    array = version.ArraySpec.from_array(np.zeros(3), attributes={"units": "m"})
    inner = version.GroupSpec(members={"x": array, "y": array})
    return version.GroupSpec(attributes={"title": title}, members={"a": inner, "b": array})


class _Interrupted(MemoryStore):
    """A store in which somebody else does something before one of the writes."""

    def __init__(self, position, something):
        super().__init__()
        self._left, self._something = position, something

    def set_if_absent(self, key, value):
        self._left -= 1
        if self._left == 0:
            self._something(self)
        return super().set_if_absent(key, value)


def read(store):
    return zom.from_node(omnizarr.open_group(store, use_consolidated=False))


@pytest.mark.parametrize("consolidated", [False, True])
@pytest.mark.parametrize("position", POSITIONS)
def test_writers_of_equal_nodes_all_succeed(version, position, consolidated):
    wanted = model(version)
    options = {"exist_ok": True, "consolidated": consolidated}
    store = _Interrupted(position, lambda store: wanted.to_store(store, **options))
    handle = wanted.to_store(store, **options)
    assert read(store) == wanted
    assert zom.from_node(handle) == wanted


@pytest.mark.parametrize("position", POSITIONS)
def test_who_comes_too_late_takes_nothing_from_who_was_first(version, position):
    first = model(version, "first")
    store = _Interrupted(position, lambda store: first.to_store(store, exist_ok=True))
    told = r'title: expected "second", found "first"'
    with pytest.raises(NodeExistsError, match=told) as error:
        model(version, "second").to_store(store, exist_ok=True)
    assert read(store) == first
    if position > 1:
        assert "left, as the other writer may count on them" in error.value.__context__.__notes__[0]


@pytest.mark.parametrize("position", POSITIONS)
def test_two_that_overwrite_with_the_same_leave_all_of_it(version, position):
    old, new = model(version, "old"), model(version, "new")
    store = _Interrupted(0, lambda store: new.to_store(store, overwrite=True))
    old.to_store(store)
    store._left = position
    new.to_store(store, overwrite=True)
    assert read(store) == new


def test_it_is_no_advice_to_overwrite_for_who_does_so(version):
    first = model(version, "first")
    store = _Interrupted(5, lambda store: first.to_store(store, overwrite=True))
    with pytest.raises(NodeExistsError, match="another writer has stored a group there meanwhile"):
        model(version, "second").to_store(store, overwrite=True)
    assert read(store) == first
