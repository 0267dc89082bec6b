"""Drawing a hierarchy."""

import pytest

import omnizarr
from omnizarr.errors import NodeTypeError
from omnizarr.store import MemoryStore


@pytest.fixture(params=[2, 3])
def group(request):
    group = omnizarr.create_group(MemoryStore(), zarr_format=request.param)
    group.create_array("a/x", shape=(3, 4), dtype="f4")
    group.create_array("a/names", shape=(), dtype=str)
    group.create_group("a/sub")
    group.create_array("z<b>", shape=(5,), dtype="M8[ns]")
    return group


TEXT = """\
/
├── a
│   ├── names () string
│   ├── sub
│   └── x (3, 4) float32
└── z<b> (5,) datetime64[ns]"""


def test_text(group):
    assert str(group.tree()) == TEXT and repr(group.tree()) == TEXT
    assert str(omnizarr.tree(group)) == TEXT and str(omnizarr.tree(group.store)) == TEXT
    assert str(group["a"].tree()).splitlines()[0] == "/a"
    assert str(group["a/sub"].tree()) == "/a/sub"


def test_levels(group):
    assert str(group.tree(level=1)) == "/\n├── a\n└── z<b> (5,) datetime64[ns]"
    assert str(group.tree(level=0)) == "/"
    assert str(omnizarr.tree(group, level=2)) == TEXT


def test_many_nodes_are_cut(group):
    text = str(group.tree(max_nodes=2))
    assert text.count("──") == 2 and text.endswith("…")
    assert not str(group.tree(max_nodes=5)).endswith("…")
    assert "…" in group.tree(max_nodes=2)._repr_html_()


def test_html(group):
    html = group.tree()._repr_html_()
    assert "z&lt;b&gt; (5,) datetime64[ns]" in html and "<b>" not in html
    assert html.count("<li>") == 5 == html.count("</li>")
    assert html.count("<details") == 1 == html.count("</details>")


def test_an_array_is_no_tree(group):
    with pytest.raises(NodeTypeError, match="expected a group to draw, found an array"):
        omnizarr.tree(group.store, path="a/x")
