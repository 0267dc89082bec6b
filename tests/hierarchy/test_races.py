"""Several processes and threads that change one hierarchy at once lose nothing."""

import multiprocessing
import threading

import pytest

import omnizarr
from omnizarr.errors import NodeExistsError
from omnizarr.store import MemoryStore

ROUNDS = 15
WORKERS = 3
# Newer Pythons warn of a fork while there are threads; pools forget them in the child.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
_context = multiprocessing.get_context("fork")


@pytest.fixture(params=[2, 3])
def zarr_format(request):
    return request.param


def in_processes(work, *arguments):
    """Run `work` in several processes that start each round together."""
    barrier = _context.Barrier(WORKERS)
    processes = [
        _context.Process(target=work, args=(number, barrier, *arguments)) for number in range(WORKERS)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * WORKERS


def make_siblings(number, barrier, place, zarr_format):
    for i in range(ROUNDS):
        barrier.wait(30)
        omnizarr.create_array(
            place,
            name=f"r{i}/deep/er/x{number}",
            shape=(2,),
            zarr_format=zarr_format,
            attributes={"n": number},
        )


def test_siblings_below_missing_parents(tmp_path, zarr_format):
    in_processes(make_siblings, tmp_path / "x", zarr_format)
    group = omnizarr.open_group(tmp_path / "x", mode="r")
    arrays = {path: node for path, node in group.members(None) if isinstance(node, omnizarr.Array)}
    assert set(arrays) == {f"r{i}/deep/er/x{n}" for i in range(ROUNDS) for n in range(WORKERS)}
    assert all(array.attrs["n"] == int(path[-1]) for path, array in arrays.items())


def require_the_same(number, barrier, place, zarr_format):
    group = omnizarr.group(place, zarr_format=zarr_format)
    for i in range(ROUNDS):
        barrier.wait(30)
        inner = group.require_group(f"g{i}/inner")
        inner.require_array("x", shape=(4,), dtype="i4")[number] = number + 1
        inner.attrs[f"from{number}"] = number


def open_the_same(number, barrier, place, zarr_format):
    for i in range(ROUNDS):
        barrier.wait(30)
        group = omnizarr.open_group(place / f"o{i}", mode="a", zarr_format=zarr_format)
        group.attrs[f"from{number}"] = number
        barrier.wait(30)
        array = omnizarr.open_array(place / f"a{i}", shape=(4,), dtype="i4", zarr_format=zarr_format)
        array[number] = number + 1
        barrier.wait(30)
        omnizarr.group(place / f"p{i}", zarr_format=zarr_format)


def test_all_may_open_what_is_missing(tmp_path, zarr_format):
    in_processes(open_the_same, tmp_path, zarr_format)
    for i in range(ROUNDS):
        assert omnizarr.open_group(tmp_path / f"o{i}").attrs == {f"from{n}": n for n in range(WORKERS)}
        assert omnizarr.open_array(tmp_path / f"a{i}")[:].tolist() == [1, 2, 3, 0]
        assert len(omnizarr.open_group(tmp_path / f"p{i}", mode="r")) == 0


def test_all_may_require_the_same_nodes(tmp_path, zarr_format):
    in_processes(require_the_same, tmp_path, zarr_format)
    group = omnizarr.open_group(tmp_path, mode="r")
    for i in range(ROUNDS):
        assert group[f"g{i}/inner"].attrs == {f"from{n}": n for n in range(WORKERS)}
        assert group[f"g{i}/inner/x"][:].tolist() == [*range(1, WORKERS + 1), *[0] * (4 - WORKERS)]


def make_the_same(number, barrier, place, zarr_format):
    group = omnizarr.group(place, zarr_format=zarr_format)
    won = []
    for i in range(ROUNDS):
        barrier.wait(30)
        try:
            group.create_group(f"g{i}", attributes={"by": number})
        except NodeExistsError:
            continue
        won.append(i)
    (place / f"won{number}").write_text(" ".join(map(str, won)))


def test_of_several_who_make_one_node_one_wins(tmp_path, zarr_format):
    in_processes(make_the_same, tmp_path, zarr_format)
    won = [list(map(int, (tmp_path / f"won{n}").read_text().split())) for n in range(WORKERS)]
    assert sorted(i for mine in won for i in mine) == list(range(ROUNDS))
    group = omnizarr.open_group(tmp_path)
    for number, mine in enumerate(won):
        assert all(group[f"g{i}"].attrs == {"by": number} for i in mine)


def set_attributes(number, barrier, place, zarr_format):
    group = omnizarr.open_group(place)
    barrier.wait(30)
    for i in range(ROUNDS):
        group.attrs[f"a{number}.{i}"] = i
        group["x"].attrs[f"a{number}.{i}"] = i
        group["x"].append([number])


def test_attributes_and_shapes_set_at_once(tmp_path, zarr_format):
    omnizarr.create_group(tmp_path, zarr_format=zarr_format).create_array(
        "x", shape=(0,), chunks=4, dtype="i2"
    )
    in_processes(set_attributes, tmp_path, zarr_format)
    group = omnizarr.open_group(tmp_path)
    expected = {f"a{n}.{i}": i for n in range(WORKERS) for i in range(ROUNDS)}
    assert group.attrs == expected and group["x"].attrs == expected
    assert sorted(group["x"][:].tolist()) == sorted(n for n in range(WORKERS) for _ in range(ROUNDS))


def test_threads(zarr_format):
    store = MemoryStore()
    group = omnizarr.create_group(store, zarr_format=zarr_format)
    barrier = threading.Barrier(4)
    faults = []

    def work(number):
        try:
            for i in range(ROUNDS):
                barrier.wait(30)
                omnizarr.create_array(store, name=f"r{i}/d/x{number}", shape=2, zarr_format=zarr_format)
                group.attrs[f"{number}.{i}"] = i
        except Exception as error:
            faults.append(error)
            barrier.abort()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert group.nmembers(None) == ROUNDS * 6
    assert len(omnizarr.open_group(store).attrs) == 4 * ROUNDS
