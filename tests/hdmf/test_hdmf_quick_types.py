"""The map of types without checks says what HDMF's own says."""

from datetime import UTC, datetime

import numpy as np
import pytest

pynwb = pytest.importorskip("pynwb")

from hdmf.build import BuildManager, TypeMap  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402

from omnizarr.hdmf import NWBZarrIO  # noqa: E402
from omnizarr.hdmf.backend.quick_types import _OF_MANAGERS, _OF_TYPES, quick_manager  # noqa: E402
from omnizarr.store import MemoryStore  # noqa: E402


@pytest.fixture
def store():
    file = NWBFile("a session", "i", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="s", data=np.arange(3), unit="V", rate=1.0))
    found = MemoryStore()
    with NWBZarrIO(found, "w") as io:
        io.write(file)
    return found


def test_no_check_is_left_of_what_is_called_often():
    manager = quick_manager(pynwb.get_type_map())
    for thing, plain, names in (
        (manager.type_map, TypeMap, _OF_TYPES),
        (manager, BuildManager, _OF_MANAGERS),
    ):
        for name in names:
            assert getattr(type(thing), name) is not getattr(plain, name), name


def test_both_say_the_same(store):
    types = pynwb.get_type_map()
    quick, plain = quick_manager(types), BuildManager(types)
    assert quick.type_map.namespace_catalog is types.namespace_catalog
    with NWBZarrIO(store, manager=plain) as io:
        root = io.read_builder()
    series = root["acquisition/s"]
    for builder in (root, series):
        for verb in ("get_builder_dt", "get_builder_ns", "get_cls"):
            assert getattr(quick, verb)(builder) is getattr(plain, verb)(builder)
            assert getattr(quick, verb)(builder=builder) is getattr(plain, verb)(builder=builder)
    assert quick.get_builder_dt(root["acquisition"]) is None
    assert quick.type_map.get_map(quick.construct(series)).spec is types.get_map(plain.construct(series)).spec


def test_what_is_registered_later_is_known_to_both():
    types = pynwb.get_type_map()
    quick = quick_manager(types)

    class Mine(TimeSeries):
        pass

    quick.type_map.register_container_type("core", "TimeSeries", Mine)
    assert types.get_dt_container_cls("TimeSeries", "core") is Mine
    assert quick.type_map.get_dt_container_cls("TimeSeries", "core") is Mine


def test_a_map_of_a_kind_of_its_own_stays_what_it_is():
    class Own(TypeMap):
        pass

    own = Own(pynwb.get_type_map().namespace_catalog)
    assert quick_manager(own).type_map is own
