"""What the page of a server asks for, through the whole application."""

from __future__ import annotations

import asyncio
import io
import json
import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import omnizarr
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

httpx = pytest.importorskip("httpx", reason="httpx asks the application")
pytest.importorskip("starlette", reason="the extra serve is not installed")

from omnizarr.serve.app import make_app  # noqa: E402
from omnizarr.serve.options import ServeOptions  # noqa: E402
from omnizarr.serve.roots import Root  # noqa: E402


@dataclass
class Site:
    """An application over one store in memory, and what asks it."""

    group: omnizarr.Group
    store: CountingStore
    runner: asyncio.Runner
    client: Any

    def get(self, name: str, **parameters: Any) -> Any:
        """Return the answer to a question about the root `r`."""
        asked = {"root": "r", **parameters} if name != "roots" else parameters
        return self.runner.run(self.client.get(f"/api/{name}", params=asked))

    def json(self, name: str, **parameters: Any) -> Any:
        response = self.get(name, **parameters)
        assert response.status_code == 200, response.text
        assert response.headers["content-type"] == "application/json"
        return strict(response.content)

    def error(self, name: str, **parameters: Any) -> tuple[int, str]:
        response = self.get(name, **parameters)
        return response.status_code, response.json()["error"]

    def picture(self, path: str, **parameters: Any) -> Taken:
        response = self.get("picture", path=path, **parameters)
        assert response.status_code == 200, response.text
        return taken_apart(response.content)

    def create(self, name: str, values: Any, **how: Any) -> None:
        self.group.create_array(name, data=np.asarray(values), **how)


@dataclass
class Taken:
    header: Any
    values: Any
    mask: np.ndarray[Any, Any] | None


def strict(data: bytes) -> Any:
    """Read JSON as a browser does, which knows no NaN."""

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(data, parse_constant=refuse)


def taken_apart(body: bytes) -> Taken:
    [length] = struct.unpack("<I", body[:4])
    assert (4 + length) % 8 == 0
    header = strict(body[4 : 4 + length])
    start = 4 + length
    data, rest = body[start : start + header["bytes"]], body[start + header["bytes"] :]
    shape = [axis["count"] for axis in header["axes"]]
    if header["dtype"] == "text":
        values: Any = np.array(strict(data), object).reshape(shape)
    else:
        values = np.frombuffer(data, np.dtype(header["dtype"]).newbyteorder("<")).reshape(shape)
    assert len(rest) == (header["count"] if header["masked"] else 0)
    return Taken(header, values, np.frombuffer(rest, np.uint8).reshape(shape) if header["masked"] else None)


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of() as found:
        yield found


@contextmanager
def site_of(options: ServeOptions | None = None, zarr_format: int = 3) -> Iterator[Site]:
    counting = CountingStore(MemoryStore())
    group = omnizarr.open_group(counting, mode="w", zarr_format=zarr_format)
    app = make_app([Root("r", "memory://r", counting)], options)
    with asyncio.Runner() as runner:
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
        yield Site(group, counting, runner, client)
        runner.run(client.aclose())


# Roots, members


def test_roots_are_told_with_their_kinds(site: Site) -> None:
    found = site.json("roots")
    assert found["roots"] == [{"name": "r", "url": "memory://r", "kind": "group"}]
    assert found["version"] == omnizarr.__version__


def test_a_root_that_cannot_be_opened_is_told_of() -> None:
    app = make_app([Root("gone", "memory://gone", MemoryStore())])
    with asyncio.Runner() as runner:
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
        [root] = runner.run(client.get("/api/roots")).json()["roots"]
    assert root["kind"] == "broken"
    assert "problem" in root


def test_members_come_page_by_page_and_only_those_of_a_page_are_read(site: Site) -> None:
    for i in range(25):
        site.group.create_group(f"g{i:02}")
    site.json("roots")
    site.store.counts.clear()
    first = site.json("members", limit=10)
    assert [member["name"] for member in first["members"]] == [f"g{i:02}" for i in range(10)]
    assert site.store.counts["get"] == 10
    assert first["next"] == "g09"
    second = site.json("members", limit=10, after=first["next"])
    third = site.json("members", limit=10, after=second["next"])
    assert [member["name"] for member in third["members"]] == [f"g{i}" for i in range(20, 25)]
    assert third["next"] is None


def test_a_member_says_its_shape_type_and_dimensions(site: Site) -> None:
    names = {"dimension_names": ["y", None], "attributes": {"units": "K", "long_name": 7}}
    site.create("a", np.zeros((2, 3), "f4"), **names)
    site.create("b", np.zeros(3, [("x", "i4"), ("y", "f8")]))
    site.group.create_group("c")
    a, b, c = site.json("members")["members"]
    assert a == {
        "name": "a",
        "kind": "array",
        "shape": [2, 3],
        "dtype": "float32",
        "dimensions": ["y", None],
        "units": "K",
    }
    assert (b["dtype"], b["dimensions"]) == ("record", None)
    assert c == {"name": "c", "kind": "group"}


def test_a_member_whose_document_is_broken_is_told_of_and_others_are_shown(site: Site) -> None:
    site.group.create_group("fine")
    site.store.set("bad/zarr.json", b'{"zarr_format": 3, "node_type": "array", "shape": "no"}')
    bad, fine = site.json("members")["members"]
    assert bad["kind"] == "broken"
    assert "shape" in bad["problem"]
    assert fine == {"name": "fine", "kind": "group"}
    assert site.error("node", path="bad")[0] == 422


def test_members_of_a_consolidated_group_need_no_documents(site: Site) -> None:
    group = site.group.create_group("g")
    for name in "abc":
        group.create_array(name, data=np.zeros(2))
    omnizarr.consolidate_metadata(site.store)
    assert len(site.json("members", path="g")["members"]) == 3
    site.store.counts.clear()
    assert [member["name"] for member in site.json("members", path="g")["members"]] == ["a", "b", "c"]
    assert sum(site.store.counts.values()) == 0


def test_nodes_are_found_by_a_part_of_their_name(site: Site) -> None:
    site.group.create_group("wind/east")
    site.create("wind/east/Speed", np.zeros(3))
    site.create("speedy", np.zeros(3))
    found = site.json("find", text="sPeEd")
    assert [node["path"] for node in found["found"]] == ["speedy", "wind/east/Speed"]
    assert found["complete"] is True
    assert [n["path"] for n in site.json("find", text="east/")["found"]] == ["wind/east/Speed"]
    assert site.json("find", text="s", limit=1)["complete"] is False


# Nodes


def test_an_array_says_how_it_is_stored(site: Site) -> None:
    site.group.create_array(
        "a",
        shape=(100, 200),
        chunks=(10, 20),
        shards=(50, 100),
        dtype="i2",
        fill_value=-1,
        dimension_names=["y", "x"],
        attributes={"units": "m", "long_name": "height"},
    )
    site.create("y", np.arange(100.0), dimension_names=["y"])
    node = site.json("node", path="a")
    assert node["kind"] == "array"
    assert (node["shape"], node["chunks"], node["shards"]) == ([100, 200], [10, 20], [50, 100])
    assert (node["dtype"], node["fill_value"], node["nbytes"], node["nchunks"]) == ("int16", "-1", 40000, 4)
    assert node["format"] == "Zarr 3"
    assert node["codecs"][0].startswith("sharding_indexed(")
    assert "bytes" in node["codecs"][0]
    assert (node["units"], node["long_name"], node["shows"]) == ("m", "height", "numbers")
    assert node["dimensions"] == [
        {"name": "y", "named": True, "size": 100, "coordinates": True},
        {"name": "x", "named": True, "size": 200, "coordinates": False},
    ]
    [document] = node["documents"]
    assert document["key"] == "a/zarr.json"
    assert json.loads(document["text"]) == json.loads(site.store.get("a/zarr.json") or b"")


def test_no_values_are_read_to_describe_an_array(site: Site) -> None:
    site.create("a", np.zeros((4, 4)), chunks=(2, 2))
    site.store.counts.clear()
    site.json("node", path="a")
    assert site.store.counts["get"] <= 3
    assert site.store.bytes_read < 1000


def test_attributes_are_spelled_so_that_a_browser_reads_them_right(site: Site) -> None:
    values = {
        "nan": float("nan"),
        "inf": [float("inf"), -float("inf")],
        "big": 2**60,
        "exact": 2**53,
        "html": "<script>alert(1)</script>",
        "lone": "\ud800",
        "deep": {"a": [None, True, {"b": -(2**70)}]},
        "empty": "",
    }
    site.group.update_attributes(values)
    node = site.json("node")
    found = {item["name"]: item["value"] for item in node["attributes"]}
    assert found == {
        "nan": "NaN",
        "inf": ["Infinity", "-Infinity"],
        "big": str(2**60),
        "exact": 2**53,
        "html": "<script>alert(1)</script>",
        "lone": "\ud800",
        "deep": {"a": [None, True, {"b": str(-(2**70))}]},
        "empty": "",
    }
    kinds = {item["name"]: item["kind"] for item in node["attributes"]}
    assert (kinds["nan"], kinds["html"], kinds["deep"]) == ("number", "text", "json")


def test_attributes_of_any_size_are_cut_and_that_is_said(site: Site) -> None:
    site.group.update_attributes({"text": "x" * 10**6, "list": list(range(10**5)), "last": 1})
    node = site.json("node")
    text, items, last = node["attributes"]
    assert text["value"] == "x" * 20_000 + "…"
    assert text["note"] == "only the beginning is shown, of 1000000 characters in all"
    assert items["value"] == list(range(len(items["value"])))
    assert items["note"] == "only the beginning is shown, of 100000 items in all"
    assert last == {"name": "last", "value": 1, "kind": "number"}
    assert len(site.get("node").content) < 300_000


def test_of_very_many_attributes_the_first_are_shown(site: Site) -> None:
    site.group.update_attributes({f"a{i}": i for i in range(2000)})
    node = site.json("node")
    assert (len(node["attributes"]), node["attributes_left_out"]) == (500, 1500)


def test_dialects_are_told(site: Site) -> None:
    site.create("x", np.arange(3.0), attributes={"_ARRAY_DIMENSIONS": ["x"]})
    assert site.json("node", path="x")["dialect"] == "xarray"
    assert site.json("node")["dialect"] is None
    image = site.group.create_group("image", attributes={"ome": {"version": "0.5", "multiscales": []}})
    assert image.path == "image"
    assert site.json("node", path="image")["dialect"] == "OME-Zarr"


# Pictures of each type


NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "f4", "f8", ">i2", ">u4", ">f4", ">f8"]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_are_sent_as_they_are_in_little_endian(dtype: str, zarr_format: int) -> None:
    values = (np.arange(12).reshape(3, 4) * 7 - (0 if "u" in dtype else 30)).astype(dtype)
    with site_of(zarr_format=zarr_format) as site:
        site.create("a", values)
        taken = site.picture("a")
        assert taken.header["dtype"] == values.dtype.newbyteorder("=").name
        np.testing.assert_array_equal(taken.values, values)


@pytest.mark.parametrize("dtype", ["i8", "u8", ">i8", "bool", "f2", "bfloat16", "float8_e4m3fn", "int4"])
def test_numbers_that_javascript_has_no_type_for_are_sent_in_a_wider_one(site: Site, dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype)) if hasattr(ml_dtypes, dtype) else np.dtype(dtype)
    values = np.arange(6).reshape(2, 3).astype(kind)
    site.create("a", values)
    taken = site.picture("a")
    assert taken.header["dtype"] in ("float64", "float32", "uint8", "int8")
    np.testing.assert_array_equal(taken.values, values.astype("f8"))
    assert taken.header["note"] is None


def test_integers_beyond_what_a_double_holds_are_exact_and_noted(site: Site) -> None:
    values = np.array([[2**62 + 1, -5], [0, 2**53]], "i8")
    site.create("a", values)
    taken = site.picture("a")
    assert taken.header["dtype"] == "int64"
    np.testing.assert_array_equal(taken.values, values)
    assert "2^53" in taken.header["note"]


def test_integers_up_to_what_a_double_holds_are_doubles(site: Site) -> None:
    site.create("a", np.array([2**53, -(2**53)], "i8"))
    taken = site.picture("a")
    assert (taken.header["dtype"], taken.header["note"]) == ("float64", None)


def test_complex_numbers_are_sent_as_absolute_values(site: Site) -> None:
    site.create("a", np.array([3 + 4j, -1j]))
    taken = site.picture("a")
    np.testing.assert_array_equal(taken.values, [5.0, 1.0])
    assert "absolute" in taken.header["note"]


def test_texts_are_sent_as_json(site: Site) -> None:
    site.create("fixed", np.array([["a", "<b>"], ["ü", ""]]))
    site.group.create_array("free", shape=(3,), dtype="string")[:] = np.array(["x", "y" * 300, "z"], object)
    taken = site.picture("fixed")
    assert taken.header["dtype"] == "text"
    assert taken.values.tolist() == [["a", "<b>"], ["ü", ""]]
    assert len(site.picture("free").values[1]) == 200
    assert site.json("node", path="free")["shows"] == "text"


def test_of_many_texts_few_are_sent(site: Site) -> None:
    site.group.create_array("a", shape=(5000, 300), dtype="U4")
    assert site.picture("a").values.shape == (125, 100)


@pytest.mark.parametrize("dtype", ["M8[s]", "M8[ns]", "m8[D]"])
def test_times_are_sent(site: Site, dtype: str) -> None:
    site.create("a", np.array([0, 86400, "NaT"], dtype))
    taken = site.picture("a")
    assert taken.header["count"] == 3
    assert taken.mask is not None
    assert taken.mask.tolist() == [0, 0, 1]
    if dtype != "m8[D]":
        last = "1970-01-02" if dtype == "M8[s]" else "1970-01-01T00:00:00.000086400"
        assert taken.header["dates"][1:] == [last, ""]


def test_times_are_told_as_dates_where_they_are_not_very_many(site: Site) -> None:
    said = {"units": "hours since 2000-02-28", "calendar": "360_day", "_FillValue": -1}
    site.create("a", np.array([0, 72, -1]), attributes=said)
    site.create("many", np.arange(5000), attributes=said)
    site.create("nonsense", np.arange(3), attributes={"units": "days since the flood"})
    assert site.picture("a").header["dates"] == ["2000-02-28", "2000-03-01", ""]
    assert site.picture("many", most=4096).header["dates"][1] == "2000-02-28T02:00:00"
    assert site.picture("nonsense").header["dates"] is None
    site.create("wide", np.arange(5000).reshape(50, 100), attributes=said)
    assert site.picture("wide").header["dates"] is None


def test_a_field_of_records_is_chosen(site: Site) -> None:
    values = np.zeros((2, 3), [("speed", "f4"), ("count", "i4")])
    values["count"] = [[1, 2, 3], [4, 5, 6]]
    site.create("a", values)
    assert site.json("node", path="a")["fields"] == ["speed", "count"]
    np.testing.assert_array_equal(site.picture("a", field="count").values, values["count"])
    np.testing.assert_array_equal(site.picture("a").values, values["speed"])
    assert site.error("picture", path="a", field="none")[0] == 400


def test_one_value_is_a_picture_without_axes(site: Site) -> None:
    site.create("a", 2.5, attributes={"units": "m"})
    taken = site.picture("a")
    assert (taken.values.shape, float(taken.values)) == ((), 2.5)
    assert taken.header["units"] == "m"


def test_what_is_missing_is_masked_and_packed_values_are_unpacked(site: Site) -> None:
    packing = {"scale_factor": 0.5, "add_offset": 10.0, "_FillValue": -1}
    site.create(
        "a", np.array([[4, -1], [6, 8]], "i2"), attributes={**packing, "_ARRAY_DIMENSIONS": ["y", "x"]}
    )
    taken = site.picture("a")
    assert taken.mask is not None
    assert taken.mask.tolist() == [[0, 1], [0, 0]]
    assert taken.values.tolist() == [[12.0, 0.0], [13.0, 14.0]]


def test_coordinates_are_on_the_axes_and_at_the_places_of_others(site: Site) -> None:
    site.create("a", np.arange(24.0).reshape(2, 3, 4), dimension_names=["time", "y", "x"])
    units = {"units": "days since 2001-01-01"}
    site.create("time", np.array([0, 31]), dimension_names=["time"], attributes=units)
    site.create("y", np.array([0.1, 0.2, np.nan], "f4"), dimension_names=["y"], attributes={"units": "m"})
    taken = site.picture("a", at="0:1")
    rows, columns = taken.header["axes"]
    assert (rows["name"], rows["coordinates"], rows["units"]) == ("y", [0.1, 0.2, None], "m")
    assert (columns["name"], columns["coordinates"]) == ("x", None)
    [place] = taken.header["at"]
    assert (place["axis"], place["index"], place["coordinate"]) == (0, 1, "2001-02-01")
    np.testing.assert_array_equal(taken.values, np.arange(12.0, 24.0).reshape(3, 4))


def test_axes_windows_and_steps_are_those_asked_for(site: Site) -> None:
    values = np.arange(1000.0).reshape(10, 10, 10)
    site.create("a", values, dimension_names=["k", "j", "i"])
    taken = site.picture("a", axes="i,k", at="j:3", window="i:2:9,0:4:10", most="3,2")
    np.testing.assert_array_equal(taken.values, values[4:10:3, 3, 2:9:3].T)
    assert [axis["step"] for axis in taken.header["axes"]] == [3, 3]
    line = site.picture("a", axes="1", at="0:2,2:5")
    np.testing.assert_array_equal(line.values, values[2, :, 5])
    one = site.picture("a", axes="none", at="0:1,1:2,2:3")
    assert float(one.values) == values[1, 2, 3]


# What is refused, or cut


def test_of_a_huge_array_a_window_is_read_and_that_is_said() -> None:
    with site_of(ServeOptions(max_picture=2**24)) as site:
        site.group.create_array(
            "a", shape=(200_000, 200_000), chunks=(1000, 1000), dtype="f4", fill_value=7.5
        )
        site.json("node", path="a")
        site.store.counts.clear()
        taken = site.picture("a", most=512)
        assert taken.values.size
        assert set(taken.values.flat) == {7.5}
        assert "a part from the middle" in taken.header["narrowed"]
        assert sum(site.store.counts.values()) <= 8


def test_a_chunk_that_is_too_large_is_refused_with_the_reason() -> None:
    with site_of(ServeOptions(max_picture=10_000)) as site:
        site.create(
            "a", np.zeros((100, 100)), chunks=(100, 100), compressors=[{"name": "zstd", "configuration": {}}]
        )
        status, message = site.error("picture", path="a")
        assert status == 413
        assert "9.8 KiB are allowed" in message


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"most": "5000"}, "4096"),
        ({"most": "0"}, "most"),
        ({"most": "1,2,3"}, "most"),
        ({"axes": "0,0"}, "axes"),
        ({"axes": "0,1,0"}, "axes"),
        ({"axes": "9"}, "9"),
        ({"axes": "depth"}, "depth"),
        ({"axes": "0,"}, "axes"),
        ({"axes": "0", "at": "1:99"}, "99"),
        ({"at": "1"}, "axis:index"),
        ({"at": "0:1:2"}, "0:1"),
        ({"at": "0:-1"}, "at"),
        ({"axes": "0", "at": "1:0,1:1"}, "twice"),
        ({"window": "0:5"}, "axis:start:stop"),
        ({"window": "0:3:1"}, "window"),
        ({"window": "0:0:99"}, "window"),
        ({"window": f"0:0:{10**30}"}, "window"),
        ({"field": "x"}, "field"),
        ({"colour": "red"}, "colour"),
        ({"axes": "1" * 5000}, "4096"),
    ],
)
def test_parameters_that_make_no_sense_are_told_of(site: Site, parameters: dict[str, str], said: str) -> None:
    site.create("a", np.zeros((4, 5)))
    status, message = site.error("picture", path="a", **parameters)
    assert status == 400
    assert said in message


def test_parameters_are_given_once(site: Site) -> None:
    response = site.runner.run(site.client.get("/api/node?root=r&root=r"))
    assert (response.status_code, response.json()["error"]) == (400, "root: expected one, found several")


@pytest.mark.parametrize(
    ("name", "parameters", "status"),
    [
        ("node", {"root": "other"}, 404),
        ("node", {"root": ""}, 400),
        ("node", {"path": "nothing"}, 404),
        ("node", {"path": "a/b"}, 404),
        ("node", {"path": "../a"}, 400),
        ("node", {"path": "a\0"}, 400),
        ("members", {"path": "a"}, 400),
        ("members", {"limit": "x"}, 400),
        ("members", {"limit": "100000"}, 400),
        ("picture", {"path": "g"}, 400),
        ("picture", {"path": "empty"}, 400),
        ("find", {}, 400),
    ],
)
def test_what_is_not_there_is_told_of(site: Site, name: str, parameters: dict[str, str], status: int) -> None:
    site.create("a", np.zeros(3))
    site.create("empty", np.zeros((0, 3)))
    site.group.create_group("g")
    found, message = site.error(name, **parameters)
    assert found == status
    assert message


def test_a_damaged_chunk_is_told_of_and_others_are_shown(site: Site) -> None:
    site.create("a", np.arange(16.0).reshape(4, 4), chunks=(2, 2))
    site.store.set("a/c/0/1", b"\1\2\3")
    status, message = site.error("picture", path="a")
    assert status == 422
    assert "a chunk cannot be decoded" in message
    assert "a/c/0/1" in message
    assert site.picture("a", window="1:0:2").values.shape == (4, 2)


def test_only_reading_is_answered(site: Site) -> None:
    for method in ("post", "put", "delete"):
        response = site.runner.run(getattr(site.client, method)("/api/roots"))
        assert response.status_code == 405


def test_all_answers_are_kept_from_being_taken_for_pages(site: Site) -> None:
    site.create("a", np.zeros(3))
    for response in (site.get("node", path="a"), site.get("picture", path="a"), site.get("node", path="no")):
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "text/html" not in response.headers["content-type"]


def test_the_guide_reads_a_picture(site: Site) -> None:
    guide = Path(__file__).parents[2] / "docs" / "serve-page.md"
    [code] = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    packing = {"_FillValue": -1, "_ARRAY_DIMENSIONS": ["lat", "lon"]}
    site.create("a", np.array([[4, -1], [6, 8]], "i2"), attributes=packing)
    names["urlopen"] = lambda address: io.BytesIO(site.get("picture", path="a", axes=address).content)
    assert names["picture"]("lon,lat").tolist() == [[4, 6], [None, 8]]
