"""Attributes: a mapping whose every change is one write."""

import math

import numpy as np
import pytest

import omnizarr
from omnizarr.store import CountingStore, DirectoryStore, MemoryStore

WRITES = ("set", "set_if_absent", "update", "delete", "delete_prefix")


@pytest.fixture(params=[2, 3])
def group(request):
    store = CountingStore(MemoryStore())
    group = omnizarr.create_group(store, zarr_format=request.param)
    store.reset()
    return group


def stored(node):
    return omnizarr.open(node.store, path=node.path, zarr_format=node.zarr_format).attrs.asdict()


def writes(store):
    return {name: count for name, count in store.counts.items() if name in WRITES}


def test_one_update_is_one_write(group):
    group.attrs.update({"a": 1, "b": [1, 2]}, c={"d": None})
    assert writes(group.store) == {"update": 1}
    assert sum(group.store.counts.values()) == 1
    assert stored(group) == {"a": 1, "b": [1, 2], "c": {"d": None}}


@pytest.mark.parametrize(
    "change",
    [
        lambda attrs: attrs.put({"new": 1}),
        lambda attrs: attrs.clear(),
        lambda attrs: attrs.pop("a"),
        lambda attrs: attrs.__delitem__("a"),
        lambda attrs: attrs.setdefault("z", 3),
        lambda attrs: attrs.update([("a", 2), ("b", 3)]),
    ],
)
def test_every_change_is_one_write(group, change):
    group.attrs.update(a=1, b=2)
    expected = dict(group.attrs)
    change(_Plain(expected))
    group.store.reset()
    change(group.attrs)
    assert writes(group.store) == {"update": 1}
    assert group.attrs == expected
    assert stored(group) == expected


class _Plain(dict):
    """A dict with `put`, to say what is expected; it changes the dict it is made of."""

    def __init__(self, values):
        super().__init__(values)
        self._values = values

    def put(self, values):
        self._values.clear()
        self._values.update(values)

    def __getattribute__(self, name):
        if name in ("clear", "pop", "__delitem__", "setdefault", "update"):
            return getattr(object.__getattribute__(self, "_values"), name)
        return super().__getattribute__(name)


def test_an_update_of_nothing_is_no_write(group):
    group.attrs.update({})
    assert writes(group.store) == {}


def test_mapping(group):
    group.attrs["a"] = 1
    assert "a" in group.attrs and "b" not in group.attrs
    assert len(group.attrs) == 1 and list(group.attrs) == ["a"] and group.attrs.get("b", 7) == 7
    assert repr(group.attrs) == "{'a': 1}"
    with pytest.raises(KeyError, match="b"):
        group.attrs["b"]
    with pytest.raises(KeyError, match="b"):
        del group.attrs["b"]


def test_numpy_values_are_stored_as_json(group):
    group.attrs.update(
        i=np.int16(3), f=np.float32(0.5), s=np.str_("x"), b=np.bool_(True), a=np.arange(3), t=(1, np.int8(2))
    )
    assert stored(group) == {"i": 3, "f": 0.5, "s": "x", "b": True, "a": [0, 1, 2], "t": [1, 2]}


def test_nan_and_infinity_are_kept(group):
    group.attrs.update(x=math.nan, y=[math.inf, -math.inf, None])
    found = stored(group)
    assert math.isnan(found["x"]) and found["y"] == [math.inf, -math.inf, None]


@pytest.mark.parametrize("value", [object(), b"bytes", {1, 2}, 1j, [object()], {"deep": {"er": object()}}])
def test_what_is_no_json_is_refused_by_name(group, value):
    with pytest.raises(TypeError, match="attribute 'units'"):
        group.attrs["units"] = value
    assert writes(group.store) == {} and dict(group.attrs) == {}


def test_names_are_strings(group):
    with pytest.raises(TypeError, match="expected a string as its name"):
        group.attrs.update({3: "x"})


def test_two_handles_lose_nothing(group):
    one, two = (omnizarr.open_group(group.store, zarr_format=group.zarr_format) for _ in range(2))
    one.attrs["a"] = 1
    two.attrs["b"] = 2
    one.attrs["c"] = 3
    assert stored(group) == {"a": 1, "b": 2, "c": 3}
    assert dict(one.attrs) == stored(group)


def test_a_stale_handle_writes_what_it_is_told(group):
    group.attrs["a"] = 1
    omnizarr.open_group(group.store, zarr_format=group.zarr_format).attrs["a"] = 2
    group.attrs["a"] = 1
    assert stored(group) == {"a": 1}


def test_shape_and_attributes_changed_by_two_handles(group):
    array = group.create_array("x", shape=(4,), chunks=(2,), dtype="i4")
    other = group["x"]
    array.resize((6,))
    other.attrs["units"] = "m"
    again = group["x"]
    assert again.shape == (6,) and dict(again.attrs) == {"units": "m"}


def test_attributes_of_a_node_that_is_gone(tmp_path):
    group = omnizarr.create_group(DirectoryStore(tmp_path)).create_group("a")
    del omnizarr.open_group(tmp_path)["a"]
    with pytest.raises(omnizarr.errors.NodeNotFoundError, match="deleted"):
        group.attrs["x"] = 1
    assert "a" not in omnizarr.open_group(tmp_path)


def test_update_attributes_returns_the_node(group):
    assert group.update_attributes({"a": 1}) is group
    assert group.attrs["a"] == 1


def test_an_unchanged_document_keeps_its_spelling(tmp_path):
    (tmp_path / "zarr.json").write_text(
        '{"node_type": "group", "zarr_format": 3, "mine": {"must_understand": false, "x": 1}}'
    )
    omnizarr.open_group(tmp_path).attrs["a"] = 1
    again = omnizarr.open_group(tmp_path)
    assert again.attrs["a"] == 1 and again.metadata.extra == {"mine": {"must_understand": False, "x": 1}}
