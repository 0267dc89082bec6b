"""CDL: the text form of netCDF."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import omnizarr
from fuzz.hierarchies import bounded
from omnizarr.errors import OmniZarrError
from omnizarr.netcdf.cdl.generate import generate
from omnizarr.netcdf.cdl.reading.parse import ParsedCDL, parse_cdl
from omnizarr.netcdf.model.nodes import GroupModel
from omnizarr.store import MemoryStore

_MOST = 10_000

_WHOLE = b"""netcdf a\\ b {
types:
  byte enum mood { good = 0, bad = 1 } ;
  opaque(4) blob ;
  int(*) many ;
  compound pair { int x ; float y(2, 3) ; mood m ; } ;
dimensions: t = UNLIMITED ; x = 3 ; long = 2u ;
variables:
  float heat(t, x) ; // comment
    heat:units = "K\\n\\x41\\101" ; heat:_FillValue = -1.5e3f, NaNf ;
    heat:_ChunkSizes = 2, 3 ; heat:_DeflateLevel = 1 ; heat:_Filter = "32015,3" ;
  char name(x) ; string s(x) ; mood how(x) ; pair p(x) ; many v(x) ; blob o ;
  int64 i ; ubyte u ; double d(x) ;
  :title = "one", "two" ; string :note = "x" ; pair :both = {1, {1,2,3,4,5,6}, good} ;
data:
  heat = 1, 2, _, 4.5, 0x10, NaN ; name = "ab", "c" ; s = "a" "b", NIL, "c" ; how = good, bad, good ;
  p = {1, {1, 2, 3, 4, 5, 6}, bad}, _ , {2, {}, good} ; v = {1, 2}, {}, {3} ; o = 0xdeadbeef ;
  i = -9223372036854775808LL ; u = 255UB ; d = 1., .5e-3, Infinity ;
group: g { dimensions: y = 1 ; variables: short z(y, x) ; data: z = 1s, 2s ; group: h { :deep = 1b ; } }
}
"""


def seeds() -> Iterator[bytes]:
    """Yield texts with all there is in CDL, one after the other and together."""
    yield _WHOLE
    yield b"netcdf x { }"
    for line in _WHOLE.splitlines()[1:-1]:
        yield (
            b"netcdf x { dimensions: t = UNLIMITED ; x = 3 ; variables: float heat(t, x) ;\n" + line + b"\n}"
        )


def run(data: bytes) -> None:
    """Parse a text, and store it where it is small."""
    text = data.decode("utf-8", "replace")
    with bounded(), suppress(OmniZarrError):
        parsed = parse_cdl(text)
        if _is_small(parsed):
            store = MemoryStore()
            generate(parsed, store, dialect="nczarr")
            omnizarr.netcdf.Dataset(store).tocdl(data=True)


def _is_small(parsed: ParsedCDL) -> bool:
    return _most(parsed.model.root) <= _MOST


def _most(group: GroupModel) -> int:
    size = 1
    for dimension in group.dimensions:
        size *= max(dimension.size or 1, 1)
    for inner in group.groups:
        size *= _most(inner)
    return size
