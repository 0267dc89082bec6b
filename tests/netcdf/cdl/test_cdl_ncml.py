"""NcML: that of the classic model is compared with ncdump in `test_cdl_options`; this is the rest."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from cdl_samples import attribute, write_file
from ncdump_peer import ncdump, needs_ncdump, our_dump

from omnizarr.netcdf.cdl.writing.ncml import write_ncml
from omnizarr.netcdf.model.nodes import AttributeModel, DimensionModel, GroupModel, VariableModel
from omnizarr.netcdf.model.types import (
    BYTE,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    Compound,
    Enum,
    Field,
    Opaque,
    Vlen,
)


@needs_ncdump
@pytest.mark.parametrize("options", [(), ("-h",), ("-c",), ("-v", "v"), ("-p", "3,4"), ("-s",)], ids=" ".join)
def test_the_classic_model_as_ncdump_writes_it(options: tuple[str, ...], tmp_path: Path) -> None:
    root = GroupModel(
        name="/",
        dimensions=(DimensionModel("x", 2), DimensionModel("t", 1, True)),
        attributes=(
            attribute("text", CHAR, 'q"<&>\n\t\r é\x01'),
            attribute("empty", CHAR, ""),
            attribute("numbers", DOUBLE, 1.5, 1e20, 3.0, float("nan"), float("inf"), float("-inf"), 0.1),
            attribute("floats", FLOAT, 1.5, 0.1),
            attribute("bytes", BYTE, 1, -2),
        ),
        variables=(
            VariableModel(name="v", type=INT, dimensions=("/t", "/x"), attributes=(attribute("n", INT, 1),)),
            VariableModel(name="x", type=CHAR, dimensions=("/x",)),
            VariableModel(name="s", type=DOUBLE),
        ),
    )
    data = {"/v": [[1, 2]], "/x": [b"a", b"b"], "/s": 1.5}
    write_file(tmp_path / "a.nc", root, data, "NETCDF4_CLASSIC")
    assert our_dump(tmp_path / "a.nc", "-x", *options) == ncdump(tmp_path / "a.nc", "-x", *options)


def test_what_ncdump_refuses_is_well_formed() -> None:
    enum = Enum("/e", BYTE, (("a<b", 0), ("c", 1)))
    record = Compound("/c", (Field("a", INT),))
    group = GroupModel(
        name="g&h",
        attributes=(AttributeModel("s", STRING, ("a b", "<c>")), AttributeModel("one", STRING, ("d",))),
        variables=(
            VariableModel(name="v", type=enum, dimensions=("/x",)),
            VariableModel(name="o", type=Opaque("/o", 2)),
            VariableModel(name="l", type=Vlen("/l", INT)),
            VariableModel(
                name="c", type=record, attributes=(AttributeModel("q", record, ((1,),)), attribute("i", INT))
            ),
        ),
    )
    root = GroupModel(name="/", types=(enum, record), dimensions=(DimensionModel("x", 2),), groups=(group,))
    text = "".join(write_ncml(root, 'a"b', lambda variable, path: False))
    tree = ElementTree.fromstring(text)
    names = {"n": "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2"}
    assert tree.attrib["location"] == 'a"b'
    assert [e.text for e in tree.findall("n:enumTypedef/n:enum", names)] == ["a<b", "c"]
    [inner] = tree.findall("n:group", names)
    assert inner.attrib["name"] == "g&h"
    strings, one = inner.findall("n:attribute", names)
    assert strings.attrib == {"name": "s", "type": "string", "separator": "|", "value": "a b|<c>"}
    assert one.attrib == {"name": "one", "type": "string", "value": "d"}
    types = [variable.attrib["type"] for variable in inner.findall("n:variable", names)]
    assert types == ["enum1", "opaque", "sequence", "Structure"]
    [record_attribute, empty] = inner.findall("n:variable/n:attribute", names)
    assert record_attribute.attrib["value"] == "{1}" and empty.attrib["value"] == ""
