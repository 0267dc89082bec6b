"""Hostile pickles: none runs code or imports anything, each is refused by name, with bounded memory."""

import builtins
import os
import pickle
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import omnizarr
from omnizarr.errors import CodecError
from omnizarr.hdmf.pickles import SafePickle, read_pickle, with_pickles
from omnizarr.store import MemoryStore

ARRAY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85C\x01bt"
OBJECTS = (
    b"cnumpy\ndtype\n(X\x02\x00\x00\x00O8\x89\x88tR"
    b"(K\x03X\x01\x00\x00\x00|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ftb"
)
MEBI = 2**20


class Reduced:
    """Something whose pickle calls a function."""

    def __init__(self, function: Any, *arguments: Any, state: Any = None, items: Any = None) -> None:
        self.parts = (function, arguments, state, items)

    def __reduce__(self) -> Any:
        return self.parts


def text(value: str) -> bytes:
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def of_objects(*items: Any) -> np.ndarray[Any, Any]:
    made = np.empty(len(items), object)
    for i, item in enumerate(items):
        made[i] = item
    return made


# Python's own audit events tell of all that runs.
_ran: list[str] = []
_WATCHED = {
    "import",
    "exec",
    "compile",
    "open",
    "os.system",
    "os.remove",
    "os.posix_spawn",
    "subprocess.Popen",
}


def _audit(event: str, _: Any) -> None:
    if _ran and _ran[0] == "watch" and event in _WATCHED:
        _ran.append(event)


sys.addaudithook(_audit)


def refused(data: bytes, match: str) -> None:
    b"x".decode("raw-unicode-escape")  # Python imports that codec when it is first used
    _ran[:] = ["watch"]
    try:
        with pytest.raises(CodecError, match=match):
            read_pickle(data)
        assert _ran == ["watch"]
    finally:
        _ran.clear()


# --- names

CALLS: dict[str, Any] = {
    "posix.system": Reduced(os.system, "touch owned"),
    "builtins.eval": Reduced(eval, "1 + 1"),
    "builtins.exec": Reduced(exec, "x = 1"),
    "builtins.getattr": Reduced(getattr, "x", "upper"),
    "builtins.__import__": Reduced(builtins.__import__, "this"),
    "builtins.bytearray": Reduced(bytearray, 2**40),
    "builtins.range": Reduced(range, 2**40),
    "numpy.load": Reduced(np.load, "owned.npy", None, True),
    "numpy.fromfile": Reduced(np.fromfile, "/etc/passwd"),
    "numpy.zeros": Reduced(np.zeros, 2**40),
    "subprocess.Popen": Reduced(__import__("subprocess").Popen, "true"),
    "functools.partial": Reduced(__import__("functools").partial, print),
    "operator.attrgetter": Reduced(__import__("operator").attrgetter, "a"),
    "_codecs.decode": Reduced(__import__("_codecs").decode, b"x", "zlib"),
    "collections.OrderedDict": __import__("collections").OrderedDict(a=1),
    "pathlib.PosixPath": Path("x"),
    "builtins.complex": 1j,
    "builtins.set": {1},
}
MEANT = {
    "numpy.load": r"numpy\.\S*load",
    "numpy.fromfile": r"numpy\.\S*fromfile",
    "builtins.range": r"\S*range",
    "subprocess.Popen": r"\S*Popen",
    "numpy.zeros": r"numpy\.\S*zeros",
}
WHERE: dict[str, Callable[[Any], Any]] = {
    "alone": lambda value: value,
    "in an array": lambda value: of_objects("a", value),
    "in a record of an array": lambda value: np.array([(1, value)], [("a", "i4"), ("b", "O")]),
    "in an array in an array": lambda value: of_objects(of_objects(value), 1),
    "as a key's value": lambda value: of_objects({"path": value}),
    "as a state": lambda value: of_objects(Reduced(dict, state={"x": value})),
}


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", CALLS)
def test_calls_are_refused_by_name(
    name: str, where: str, protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(WHERE[where](CALLS[name]), protocol)
    if name == "builtins.set" and protocol == 5:
        refused(data, "refused, as it has the instruction EMPTY_SET|names 'builtins.dict'|calls a class")
    elif where == "as a state":
        refused(data, "refused, as it ")
    else:
        # The protocols before 3 have Python 2's names of modules.
        known = MEANT.get(name, name.replace(".", r"\.").replace("builtins", "(builtins|__builtin__)"))
        refused(data, f"refused, as it names '{known}'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"cposix\nsystem\n(Vtouch owned\ntR.", "names 'posix.system'"),
        (b"(S'touch owned'\niposix\nsystem\n.", "instruction STRING"),
        (b"(iposix\nsystem\n.", "names posix.system"),
        (text("os") + text("system") + b"\x93.", "names 'os.system'"),
        (text("numpy") + text("ndarray.__setstate__") + b"\x93.", "names 'numpy.ndarray.__setstate__'"),
        (text("numpy") + text("dtype.__class__") + b"\x93.", "names 'numpy.dtype.__class__'"),
        (text("numpy.core.multiarray._reconstruct") + text("__globals__") + b"\x93.", "names"),
        (text("builtins") + text("dict.fromkeys") + b"\x93.", "names 'builtins.dict.fromkeys'"),
        (b"cbuiltins\ndict\n)R.", "calls a class that is named only"),
        (b"cnumpy\nndarray\n)R.", "calls a class that is named only"),
        (b"cnumpy\nndarray\n)\x81.", "calls a class that is named only"),
        (b"ccopyreg\n__newobj__\n.", "names 'copyreg.__newobj__'"),
        (b"cnumpy\nmemmap\n.", "names 'numpy.memmap'"),
        (b"cnumpy\nrecarray\n.", "names 'numpy.recarray'"),
        (b"(cposix\nsystem\nVx\no.", "names 'posix.system'"),
        (b"(cnumpy\ndtype\no.", "instruction OBJ"),
        (b"\x82\x01.", "instruction EXT1"),
        (b"\x83\x01\x00.", "instruction EXT2"),
        (b"\x84\x01\x00\x00\x00.", "instruction EXT4"),
        (b"Pid\n.", "instruction PERSID"),
        (b"NQ.", "instruction BINPERSID"),
        (b"\x97.", "instruction NEXT_BUFFER"),
        (b"N\x98.", "instruction READONLY_BUFFER"),
        (b"\x8f.", "instruction EMPTY_SET"),
        (b"(\x91.", "instruction FROZENSET"),
        (b"cnumpy\ndtype\n)}\x92.", "instruction NEWOBJ_EX"),
        (b"\xff.", "instruction 0xff"),
        (b"\x80\x06.", "protocol 6"),
        (text("x") + b")R.", "calls a value of type str"),
        (b"cnumpy\ndtype\nNR.", "calls a value of type Maker"),
        (b"}}b.", "changes a value of type dict"),
        (b"cnumpy\ndtype\n}b.", "changes a value of type Maker"),
        (b"chdmf_zarr.utils\nZarrReference\n)\x81}b.", "changes a value of type dict"),
        (b"chdmf_zarr.utils\nZarrReference\n(K\x01tR.", "reference with arguments"),
        (b"}(K\x01K\x02u.", "keys are no strings"),
        (b"N(K\x01e.", "appends to a value of type NoneType"),
        (
            b"ccopyreg\n_reconstructor\n(cbuiltins\nbytes\ncbuiltins\ndict\n}tR.",
            "makes a value of builtins.bytes",
        ),
        (b"c_codecs\nencode\n(" + text("x") + text("rot13") + b"tR.", "encodes something else"),
        (b"cbuiltins\nbytes\n(K\x09tR.", "makes bytes of something else"),
        (ARRAY.replace(b"ndarray", b"dtype") + b"R.", "array of no known class"),
        (ARRAY + b"R(K\x01(K\x02tR", "no pickle|calls"),
        (b"\x80\x04]\x94h\x00a.", "expected an array"),
        (b"a.", "no pickle"),
        (b".", "no pickle"),
        (b"0.", "no pickle"),
        (b"h\x09.", "no pickle"),
        (b"I" + b"9" * 5000 + b"\n.", "no pickle"),
        (b"", "truncated"),
    ],
)
def test_instructions_are_refused(data: bytes, match: str) -> None:
    refused(data, match)


def test_a_reference_in_itself_is_refused() -> None:
    """A list that holds itself would never end."""
    cycle = ARRAY + b"R(K\x01K\x01\x85" + OBJECTS + b"\x89](]q\x05h\x05aetb."
    refused(cycle, "nested too deeply|makes far more")


@pytest.mark.parametrize("flags", [0, 1, 27, 63])
def test_bytes_are_never_pointers(flags: int) -> None:
    """Numpy itself would take these bytes for the address of an object."""
    dtype = OBJECTS.replace(b"K\x3ft", b"K" + bytes((flags,)) + b"t")
    refused(ARRAY + b"R(K\x01K\x01\x85" + dtype + b"\x89C\x08AAAAAAAAtb.", "elements with others")
    record = (
        b"cnumpy\ndtype\n(X\x02\x00\x00\x00V8\x89\x88tR(K\x03X\x01\x00\x00\x00|N"
        + text("a")
        + b"\x85}"
        + text("a")
    )
    record += dtype + b"K\x00\x86sK\x08K\x01K" + bytes((flags,)) + b"tb"
    refused(ARRAY + b"R(K\x01K\x01\x85" + record + b"\x89C\x08AAAAAAAAtb.", "elements with others")
    buffer = b"cnumpy.core.numeric\n_frombuffer\n(C\x08AAAAAAAA" + dtype + b"K\x01\x85" + text("C") + b"tR."
    refused(buffer, "elements with others")
    scalar = b"cnumpy.core.multiarray\nscalar\n(" + dtype + b"C\x08AAAAAAAAtR."
    refused(scalar, "elements with others")


# --- memory


def numpy_array(shape: bytes, code: str, data: bytes, size: int = 0) -> bytes:
    dtype = b"cnumpy\ndtype\n(" + text(code) + b"\x89\x88tR(K\x03" + text("|") + b"NNN"
    dtype += b"J" + struct.pack("<i", size) + b"K\x01K\x00tb"
    return ARRAY + b"R(K\x01" + shape + dtype + b"\x89" + data + b"tb."


BOMBS = {
    "BINBYTES8": b"\x8e" + struct.pack("<Q", 2**40) + b"x.",
    "BINUNICODE8": b"\x8d" + struct.pack("<Q", 2**62) + b"x.",
    "BYTEARRAY8": b"\x96" + struct.pack("<Q", 2**40) + b"x.",
    "LONG4": b"\x8b" + struct.pack("<I", 2**31) + b"x.",
    "FRAME": b"\x80\x04\x95" + struct.pack("<Q", 2**50) + b"N.",
    "LONG_BINPUT": b"Nr" + struct.pack("<I", 2**32 - 1) + b"0Nj" + struct.pack("<I", 5) + b".",
    "PUT": b"Np" + b"9" * 30 + b"\n0h\x00.",
    "shape": numpy_array(b"J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86", "i8", b"C\x00"),
    "shape of nothing": numpy_array(b"J\xff\xff\xff\x7f\x85", "V0", b"C\x00"),
    "shape of objects": ARRAY + b"R(K\x01J\xff\xff\xff\x7f\x85" + OBJECTS + b"\x89]tb.",
    "shape of reconstruct": ARRAY.replace(b"K\x00\x85", b"J\xff\xff\xff\x7f\x85") + b"R.",
    "negative shape": numpy_array(b"J\xff\xff\xff\xff\x85", "i8", b"C\x00"),
    "type": numpy_array(b"K\x01\x85", "V999999999", b"C\x00", 2**30),
    "subarray": b"cnumpy\ndtype\n("
    + text("V8")
    + b"\x89\x88tR(K\x03"
    + text("|")
    + OBJECTS.replace(b"O8", b"i8")
    + b"(" + b"J\xff\xff\xff\x7f" * 3 + b"t\x86NNK\x08K\x01K\x00tb.",
    "bytes out of one text": (
        b"X" + struct.pack("<I", MEBI) + b"x" * MEBI + b"q\x010]("
        + (b"c_codecs\nencode\n(h\x01" + text("latin1") + b"tR") * 1000 + b"e."
    ),
    "arrays out of one list": (
        b"](" + b"N" * 65536 + b"eq\x010" + OBJECTS + b"q\x020]("
        + (ARRAY + b"R(K\x01J\x00\x00\x01\x00\x85h\x02\x89h\x01tb") * 1000 + b"e."
    ),
    "references out of one": (
        b"}(" + b"".join(text(f"{i:06}") + b"N" for i in range(50000)) + b"uq\x010]("
        + b"ccopyreg\n_reconstructor\n(chdmf_zarr.utils\nZarrReference\ncbuiltins\ndict\nh\x01tR" * 1000
        + b"e."
    ),
    "lists in lists": ARRAY + b"R(K\x01K\x01\x85" + OBJECTS + b"\x89](]q\x00" + b"".join(
        b"](" + b"h" + bytes((i,)) + b"h" + bytes((i,)) + b"eq" + bytes((i + 1,)) for i in range(60)
    ) + b"etb.",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_memory_is_bounded(name: str) -> None:
    data = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(CodecError):
            read_pickle(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80 * len(data) + 4 * MEBI


def test_what_is_nested_deeply_is_refused_without_a_crash() -> None:
    deep = b"]" * 100000 + b"a" * 99999
    refused(deep + b".", "expected an array")
    refused(ARRAY + b"R(K\x01K\x01\x85" + OBJECTS + b"\x89](" + deep + b"etb.", "nested too deeply")


# --- arrays


def stored(data: bytes, **document: Any) -> omnizarr.Array:
    shown = {
        "zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "fill_value": 0, "order": "C",
        "filters": [{"id": "pickle", "protocol": 5}], "compressor": None, **document,
    }  # fmt: skip
    store = MemoryStore()
    store.set(".zarray", omnizarr.jsontypes.dump_json(shown))
    store.set("0", data)
    return omnizarr.open_array(store)


def test_an_array_with_a_hostile_chunk_names_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    array = stored(pickle.dumps(of_objects(Reduced(os.system, "touch owned"))))
    with pytest.raises(CodecError, match=r"names 'posix.system'.*key '0'"):
        with_pickles(array)[...]
    with pytest.raises(CodecError, match="pickles are not read"):
        array[...]
    assert list(tmp_path.iterdir()) == []


def test_a_chunk_that_decompresses_to_far_more_than_its_elements_is_refused() -> None:
    array = stored(zlib.compress(b"]" * 64 * MEBI, 9), compressor={"id": "zlib", "level": 9})
    tracemalloc.start()
    try:
        with pytest.raises(CodecError):
            with_pickles(array)[...]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * MEBI


def test_a_chunk_of_another_shape_is_refused() -> None:
    with pytest.raises(CodecError, match=r"expected shape \(1,\), found \(2,\)"):
        with_pickles(stored(pickle.dumps(of_objects(1, 2))))[...]


def test_the_fill_value_of_records_is_never_unpickled() -> None:
    array = stored(
        b"", dtype=[["a", "<i4"], ["b", "|O"]], fill_value="Y3Bvc2l4CnN5c3RlbQooVnRvdWNoIG93bmVkCnRSLg=="
    )
    array.store.delete("0")
    assert with_pickles(array)[...].tolist() == [None]


def test_the_codec_is_not_registered() -> None:
    """Only what asks for it reads pickles."""
    assert not isinstance(stored(b"").serializer, SafePickle)
