"""The quick map of types says what HDMF's own says."""

from copy import deepcopy
from datetime import UTC, datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.build import BuildManager, LinkBuilder, ObjectMapper, TypeMap  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402
from pynwb.io.base import TimeSeriesMap  # noqa: E402

from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.backend.quick_types import quick_manager  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402


@pytest.fixture
def store():
    file = NWBFile("a session", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="s", data=np.arange(3), unit="V", rate=1.0))
    found = MemoryStore()
    with NWBZarrIO(found, "w") as io:
        io.write(file)
    return found


def test_both_say_the_same(store):
    types = pynwb.get_type_map()
    quick, plain = quick_manager(pynwb.get_type_map()), BuildManager(types)
    with NWBZarrIO(store, manager=plain) as io:
        root = io.read_builder()
    series = root["acquisition/s"]
    for builder in (root, series):
        for verb in ("get_builder_dt", "get_builder_ns", "get_cls"):
            assert getattr(quick, verb)(builder) is getattr(plain, verb)(builder)
            assert getattr(quick, verb)(builder=builder) is getattr(plain, verb)(builder=builder)
    assert quick.get_builder_dt(root["acquisition"]) is None
    made, known = quick.construct(series), plain.construct(series)
    assert quick.type_map.get_map(made).spec == types.get_map(known).spec
    assert made.object_id == known.object_id
    link = LinkBuilder(series, name="l", source="s")
    assert (quick.get_builder_dt(link), quick.get_builder_ns(link)) == ("TimeSeries", "core")


class Mine(TimeSeries):
    pass


class MyMap(ObjectMapper):
    pass


def test_what_is_registered_later_is_known(store):
    types = quick_manager(pynwb.get_type_map()).type_map
    with NWBZarrIO(store) as io:
        series = io.read_builder()["acquisition/s"]
    assert types.get_cls(series) is TimeSeries
    assert type(types.get_map(series)) is TimeSeriesMap
    types.register_container_type("core", "TimeSeries", Mine)
    assert types.get_cls(series) is Mine
    types.register_map(Mine, MyMap)
    assert type(types.get_map(series)) is MyMap


@pytest.mark.parametrize("asked", ["get_const_arg", "get_attribute"])
def test_a_name_that_is_mapped_anew_is_not_the_one_that_was_remembered(asked):
    types = quick_manager(pynwb.get_type_map()).type_map
    mapper = types.get_map(TimeSeries(name="s", data=[1], unit="V", rate=1.0))
    spec = mapper.spec.get_attribute("description")
    ask = getattr(mapper, asked)
    assert (ask(spec), ask(spec=spec)) == ("description", "description")
    mapper.map_spec("comments", spec)
    assert ask(spec) == "comments"
    mapper.unmap(spec)
    assert ask(spec) is None


def test_a_copy_of_the_map_remembers_for_itself(store):
    types = quick_manager(pynwb.get_type_map()).type_map
    with NWBZarrIO(store) as io:
        series = io.read_builder()["acquisition/s"]
    mapper = types.get_map(series)
    other = deepcopy(types).get_map(series)
    other.unmap(other.spec.get_attribute("description"))
    assert mapper.get_const_arg(mapper.spec.get_attribute("description")) == "description"


def test_what_is_no_type_is_an_error_each_time(store):
    types = quick_manager(pynwb.get_type_map()).type_map
    with NWBZarrIO(store) as io:
        root = io.read_builder()
    assert types.get_builder_dt(root["acquisition"]) is None
    for _ in range(2):
        with pytest.raises(ValueError, match="No data_type found for builder"):
            types.get_cls(root["acquisition"])


def test_a_map_of_a_kind_of_its_own_stays_what_it_is():
    class Own(TypeMap):
        pass

    own = Own(pynwb.get_type_map().namespace_catalog)
    assert quick_manager(own).type_map is own
