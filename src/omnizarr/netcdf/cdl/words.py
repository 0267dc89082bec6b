"""The words, suffixes and escapes of CDL: one table each for who writes it and who reads it.

https://docs.unidata.ucar.edu/nug/current/_c_d_l.html
"""

from __future__ import annotations

from types import MappingProxyType

# What a backslash stands before in a name.
SPECIAL_IN_NAMES = frozenset(" !\"#$&'()*,:;<=>?[]\\^`{|}~")

# What stands behind a backslash in a text, by the byte that it means.
ESCAPES = MappingProxyType(
    {
        0x08: "b",
        0x09: "t",
        0x0A: "n",
        0x0B: "v",
        0x0C: "f",
        0x0D: "r",
        0x22: '"',
        0x27: "'",
        0x5C: "\\",
    }
)

# The suffixes that tell the type of an integer in an attribute.
SUFFIXES = MappingProxyType(
    {
        "byte": "b",
        "ubyte": "UB",
        "short": "s",
        "ushort": "US",
        "int": "",
        "uint": "U",
        "int64": "LL",
        "uint64": "ULL",
    }
)

# Attributes that are no attributes: what `ncdump -s` tells of variables, and of the dataset.
SPECIAL_OF_VARIABLES = (
    "_Storage",
    "_ChunkSizes",
    "_Fletcher32",
    "_Shuffle",
    "_DeflateLevel",
    "_Filter",
    "_Codecs",
    "_Endianness",
    "_NoFill",
)
SPECIAL_OF_DATASETS = ("_NCProperties", "_SuperblockVersion", "_IsNetcdf4", "_Format")

FILL = "_"
NILS = frozenset(("NIL", "Nil", "nil", "NULL"))

# Other names of atomic types; `long` has 32 bits, as in the classic model.
SYNONYMS = MappingProxyType(
    {
        "real": "float",
        "long": "int",
        "integer": "int",
        "ulong": "uint",
        "uinteger": "uint",
    }
)

# Numbers that are spelled as names, and the types that they have; a sign may stand before them.
NAMED_NUMBERS = MappingProxyType(
    {
        "NaN": ("double", float("nan")),
        "nan": ("double", float("nan")),
        "Infinity": ("double", float("inf")),
        "DoubleInf": ("double", float("inf")),
        "NaNf": ("float", float("nan")),
        "nanf": ("float", float("nan")),
        "Infinityf": ("float", float("inf")),
        "Inff": ("float", float("inf")),
        "FloatInf": ("float", float("inf")),
    }
)
