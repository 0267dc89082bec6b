"""The names of the small numbers, for which ml_dtypes need not be imported.

https://github.com/zarr-developers/zarr-extensions/tree/main/data-types
"""

from __future__ import annotations

INTEGERS = ("int2", "int4", "uint2", "uint4")

FLOATS = (
    "bfloat16",
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",  # not registered, but other libraries have it
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)

# complex_float32 and complex_float64 are other names of complex64 and complex128.
COMPLEX = tuple(f"complex_{name}" for name in (*FLOATS, "float16"))
