"""Views that convert what is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from omnizarr.metadata.dtype_bits import complex_of, is_pair


class Readable(Protocol):
    """What a view needs of an array."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    def __getitem__(self, selection: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class AsType:
    """An array whose elements are converted when they are read; nothing can be written through it."""

    array: Readable
    dtype: np.dtype[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.array.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, selection: Any) -> Any:
        values = self.array[selection]
        if is_pair(values.dtype) and self.dtype.names is None:
            values = complex_of(values)
        return values.astype(self.dtype)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        array: NDArray[Any] = self[...]
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<{self.array!r} as {self.dtype}>"
