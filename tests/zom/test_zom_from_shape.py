"""Models of arrays by their shape and type, without an array."""

import numpy as np
import pytest

from omnizarr.errors import MetadataError, UnsupportedError
from omnizarr.zom import v2, v3

ARGUMENTS = {"chunks": (1000, 4), "attributes": {"units": "K"}, "fill_value": 3}


@pytest.mark.parametrize("version", [v2, v3])
def test_it_is_the_model_of_an_array_of_that_shape(version):
    model = version.ArraySpec.from_shape((10**12, 4), "float32", **ARGUMENTS)
    assert model.metadata.shape == (10**12, 4)
    like = version.ArraySpec.from_array(np.zeros((1, 1), "f4"), shape=(10**12, 4), **ARGUMENTS)
    assert model == like


def test_types_that_numpy_does_not_have():
    model = v3.ArraySpec.from_shape(5, "bfloat16", shards=(4,), chunks=(2,), dimension_names=("x",))
    assert (model.shape, model.data_type, model.dimension_names) == ((5,), "bfloat16", ("x",))


def test_what_does_not_fit_is_refused():
    with pytest.raises(MetadataError, match="no names for dimensions"):
        v2.ArraySpec.from_shape((3,), "i4", dimension_names=("x",))
    with pytest.raises(UnsupportedError, match="nonsense"):
        v3.ArraySpec.from_shape((3,), "nonsense")
    with pytest.raises(TypeError, match="no such argument: chunk"):
        v3.ArraySpec.from_shape((3,), "i4", chunk=4)
