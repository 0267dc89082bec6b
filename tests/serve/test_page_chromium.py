"""The page in a real browser: what is drawn, what keys do, and what is asked of the store."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from serving import Live

import omnizarr
from omnizarr.serve.app import make_app
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.store import MemoryStore
from omnizarr.store.layers.wrap import CountingStore

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

PLAIN = np.linspace(-3, 8, 20).reshape(4, 5)
CUBE = np.arange(3 * 40 * 60, dtype="f4").reshape(3, 40, 60) / 7
GAPS = np.where(np.arange(50) % 25 < 5, np.nan, np.arange(50.0))
HTML = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\">"


def fill(group: omnizarr.Group) -> None:
    group.update_attributes({"note": HTML, HTML: 1})
    group.create_array("plain", data=PLAIN, attributes={"long_name": HTML})
    names = ["time", "lat", "lon"]
    group.create_array("cube", data=CUBE, dimension_names=names, attributes={"units": "K"})
    times = {"units": "days since 2020-01-01"}
    group.create_array("time", data=np.array([0, 1, 2]), dimension_names=["time"], attributes=times)
    degrees = {"units": "degrees_north"}
    group.create_array("lat", data=np.linspace(-78, 78, 40), dimension_names=["lat"], attributes=degrees)
    packed = np.array([[1, -9, 3], [4, 5, -9]], "i2")
    scaling = {"_FillValue": -9, "scale_factor": 0.5, "_ARRAY_DIMENSIONS": ["y", "x"]}
    group.create_array("packed", data=packed, attributes=scaling)
    group.create_array("gaps", data=GAPS)
    group.create_array("words", data=np.array([["a", "<b>x</b>"], ["c", "d"]]))
    group.create_array("single", data=np.array(2.5), attributes={"units": "m"})
    group.create_array("long", data=np.arange(5000.0))
    records = np.zeros((4, 5), [("speed", "f4"), ("count", "i4")])
    records["count"] = np.arange(20).reshape(4, 5)
    group.create_array("records", data=records)
    huge = group.create_array("huge", shape=(200_000,) * 2, chunks=(1000, 1000), dtype="f4", fill_value=1)
    huge[100_000:101_000, 100_000:101_000] = 5.0
    group.create_array("damaged", data=np.zeros((4, 4)), chunks=(2, 2), fill_value=1)
    many = group.create_group("many")
    for i in range(450):
        many.create_group(f"g{i:03}")
    links = [{"name": "elsewhere", "path": "/outer/inner/deep", "source": "."}]
    links += [{"name": "outside", "path": "/x", "source": "../other.zarr"}]
    group.create_group("linked", attributes={"zarr_link": links})
    moments = {"units": "hours since 2020-01-01"}
    group.create_array("moments", data=np.array([0, 36, 48]), attributes=moments)
    group.create_group("outer/inner").create_array("deep", data=np.zeros(3))


@pytest.fixture(scope="module")
def store() -> CountingStore:
    inner = MemoryStore()
    fill(omnizarr.open_group(inner, mode="w"))
    inner.set("damaged/c/0/1", b"\1\2\3")
    return CountingStore(inner)


@pytest.fixture(scope="module")
def url(store: CountingStore) -> Iterator[str]:
    live = Live(make_app([Root("r", "memory://r", store)], ServeOptions(max_picture=2**26)))
    yield live.url
    live.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


Opening = Callable[..., Any]


@pytest.fixture
def opening(browser: Any, url: str) -> Iterator[Opening]:
    """Open the page at a hash; at the end nothing may have been complained of but what `expected` says."""
    contexts, said = [], []
    patterns = ["willReadFrequently"]  # what these tests do, and the page does not

    def open_at(place: str, expected: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        patterns.extend([expected] if expected else [])
        page.goto(f"{url}#{place}")
        page.wait_for_selector("#title, .failure")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert [text for text in said if not any(re.search(pattern, text) for pattern in patterns)] == []


def drawn(page: Any, times: int = 1) -> None:
    """Wait until as many pictures have been drawn."""
    page.wait_for_function(
        "times => Number(document.querySelector('.picture')?.dataset.drawn ?? 0) >= times", arg=times
    )


def box_of(page: Any) -> dict[str, float]:
    """Return where the values are on the canvas."""
    return {
        n: float(v) for n, v in page.evaluate("({...document.querySelector('canvas.drawn').dataset})").items()
    }


def centre(page: Any, row: int, column: int, shape: tuple[int, int]) -> tuple[float, float]:
    box = box_of(page)
    x = box["left"] + (column + 0.5) / shape[1] * box["width"]
    return x, box["top"] + (row + 0.5) / shape[0] * box["height"]


def pixel(page: Any, x: float, y: float) -> list[int]:
    script = """([x, y]) => {
      const context = document.querySelector('canvas.drawn').getContext('2d');
      return [...context.getImageData(x, y, 1, 1).data];
    }"""
    found: list[int] = page.evaluate(script, [int(x), int(y)])[:3]
    return found


def colour(page: Any, row: int, column: int, shape: tuple[int, int]) -> list[int]:
    return pixel(page, *centre(page, row, column, shape))


def point(page: Any, row: int, column: int, shape: tuple[int, int]) -> None:
    x, y = centre(page, row, column, shape)
    page.hover("canvas.over", position={"x": x, "y": y})


def value(page: Any) -> str | None:
    found: str | None = page.get_attribute(".readout", "data-value")
    return found


def grey(share: float) -> list[int]:
    """Return the grey of a share of the range: lightness in OKLab is the cube root of what is linear."""
    place = min(255, int(share * 256))
    linear = (0.14 + 0.84 * place / 255) ** 3
    level = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
    return [round(255 * level)] * 3


def hatch(page: Any) -> set[tuple[int, ...]]:
    """Return the two colours of the hatch; between them lie those of its edges."""
    script = """() => ['--hatch-ground', '--hatch-line'].map((name) => {
      const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim().slice(1);
      return [0, 2, 4].map((i) => parseInt(text.slice(i, i + 2), 16));
    })"""
    return {tuple(part) for part in page.evaluate(script)}


# Colours and values


def test_each_value_has_its_colour(opening: Opening) -> None:
    page = opening("root=r&path=plain&map=grey&range=full")
    drawn(page)
    for row, column in np.ndindex(PLAIN.shape):
        share = (PLAIN[row, column] + 3) / 11
        assert np.abs(np.subtract(colour(page, row, column, PLAIN.shape), grey(share))).max() <= 1
    page.select_option("label:has-text('Colours') select", "ember")
    script = "async () => [...(await import('/page/colours.js')).coloursOf('ember')]"
    table = np.reshape(page.evaluate(script), (256, 3))
    for row, column in np.ndindex(PLAIN.shape):
        place = min(255, int((PLAIN[row, column] + 3) / 11 * 256))
        assert colour(page, row, column, PLAIN.shape) == table[place].tolist()


def test_colour_maps_have_even_lightness(opening: Opening) -> None:
    page = opening("root=r")
    script = "async (name) => [...(await import('/page/colours.js')).coloursOf(name)]"
    for name in ("dusk", "ember", "grey", "tide"):
        light = lightness(np.reshape(page.evaluate(script, name), (256, 3)))
        # Of each eighth colour: those between are rounded to bytes, too.
        steps = np.diff(light[::8] if name != "tide" else light[:128:8])
        assert steps.min() > 0.8 * steps.mean(), name
        assert steps.max() < 1.2 * steps.mean(), name
        if name == "tide":
            assert np.abs(light - light[::-1]).max() < 0.01


def lightness(colours: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the lightness in OKLab of colours of a screen."""
    part = colours / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    return np.asarray(np.cbrt(linear @ np.transpose(to_cones)) @ [0.2104542553, 0.793617785, -0.0040720468])


def test_the_value_under_the_pointer_and_under_keys_is_the_stored_one(opening: Opening) -> None:
    page = opening("root=r&path=cube&at=0:1")
    drawn(page)
    shape = CUBE.shape[1:]
    for row, column in [(0, 0), (39, 59), (17, 23)]:
        point(page, row, column, shape)
        # Latitude grows upward: the last row is at the top.
        stored = CUBE[1, 39 - row, column]
        assert np.float32(value(page)) == stored
    assert "lat 10 degrees_north (index 22), lon 23" in page.text_content(".readout")
    page.mouse.move(1, 1)
    page.focus("canvas.over")
    page.keyboard.press("Home")
    row = 39 - shape[0] // 2
    assert np.float32(value(page)) == CUBE[1, row, 0]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert np.float32(value(page)) == CUBE[1, row + 1, 1]
    said = page.text_content("#live")
    assert said.startswith(f"{value(page)} K; lat ")
    page.check("text=As stored")
    page.keyboard.press("End")
    point(page, 0, 59, shape)
    assert np.float32(value(page)) == CUBE[1, 0, 59]


def test_missing_values_are_hatched(opening: Opening) -> None:
    page = opening("root=r&path=packed&map=grey&range=full")
    drawn(page)
    shape = (2, 3)
    low, high = np.sort([*hatch(page)], axis=0)
    assert np.all(low <= colour(page, 0, 1, shape)) and np.all(colour(page, 0, 1, shape) <= high)
    assert np.abs(np.subtract(colour(page, 0, 0, shape), grey(0))).max() <= 1
    assert np.abs(np.subtract(colour(page, 1, 1, shape), grey(1))).max() <= 1
    point(page, 0, 1, shape)
    assert value(page) == "missing"
    point(page, 0, 2, shape)
    assert value(page) == "1.5"
    assert "2 of 6 values shown are missing" in page.text_content(".status")


def test_ranges_are_typed_and_logarithmic(opening: Opening) -> None:
    page = opening("root=r&path=plain&map=grey")
    drawn(page)
    page.fill("input[aria-label^=Upper]", "2")
    page.fill("input[aria-label^=Lower]", "0")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('range=0,2')")
    assert colour(page, 0, 0, PLAIN.shape) == grey(0)
    assert colour(page, 3, 4, PLAIN.shape) == grey(1)
    page.fill("input[aria-label^=Lower]", "7")
    page.keyboard.press("Enter")
    assert page.get_attribute("input[aria-label^=Lower]", "aria-invalid") == "true"
    page.select_option("label:has-text('Range') select", "full")
    page.check("text=Logarithmic")
    assert "have no logarithm" in page.text_content(".status")


# Other views


def test_sliders_choose_what_is_shown(opening: Opening) -> None:
    page = opening("root=r&path=cube&map=grey")
    drawn(page)
    page.fill("input[aria-label='Index of time']", "2")
    page.keyboard.press("Enter")
    drawn(page, 2)
    page.wait_for_function("() => document.querySelector('.coordinate').textContent === '2020-01-03'")
    point(page, 39, 0, CUBE.shape[1:])
    assert np.float32(value(page)) == CUBE[2, 0, 0]
    assert "at=0:2" in page.evaluate("location.hash")
    page.focus("input[type=range]")
    page.keyboard.press("ArrowLeft")
    drawn(page, 3)
    assert "at=0:1" in page.evaluate("location.hash")
    page.click("button[aria-label='Play time']")
    drawn(page, 5)
    page.click("button[aria-label='Stop time']")
    assert page.get_attribute(".slider button", "aria-pressed") == "false"


def test_a_line_has_gaps(opening: Opening) -> None:
    page = opening("root=r&path=gaps")
    drawn(page)
    box = box_of(page)
    accent = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()")
    wanted = [int(accent[i : i + 2], 16) for i in (1, 3, 5)]
    script = """([x, top, height]) => {
      const image = document.querySelector('canvas.drawn').getContext('2d').getImageData(x, top, 1, height);
      return [...image.data];
    }"""

    def has_line(cell: int) -> bool:
        x = int(box["left"] + (cell + 0.5) / 50 * box["width"])
        column = np.reshape(page.evaluate(script, [x, int(box["top"]), int(box["height"])]), (-1, 4))[:, :3]
        return bool((np.abs(column - wanted).max(axis=1) < 8).any())

    assert [has_line(cell) for cell in (2, 10, 20, 27, 40)] == [False, True, True, False, True]
    page.focus("canvas.over")
    page.keyboard.press("End")
    assert value(page) == "49"
    page.keyboard.press("Home")
    assert value(page) == "NaN"


def test_texts_records_and_single_values(opening: Opening) -> None:
    page = opening("root=r&path=words")
    drawn(page)
    assert page.locator(".values td").all_text_contents() == ["a", "<b>x</b>", "c", "d"]
    page = opening("root=r&path=single")
    drawn(page)
    assert page.text_content(".single") == "2.5 m"
    page = opening("root=r&path=records")
    drawn(page)
    page.select_option("label:has-text('Field') select", "count")
    drawn(page, 2)
    point(page, 3, 4, (4, 5))
    assert value(page) == "19"
    page.click("text=Table")
    drawn(page, 3)
    assert page.locator(".values tbody tr").last.text_content() == "31516171819"


def test_a_long_table_goes_on_block_by_block(opening: Opening) -> None:
    page = opening("root=r&path=long&view=table")
    drawn(page)
    assert page.locator(".values tbody tr").count() == 100
    page.click("button[aria-label^=After]")
    drawn(page, 2)
    assert page.locator(".values tbody tr").first.text_content() == "100100"
    assert "window=0:100:200" in page.evaluate("location.hash")


def test_times_are_told_as_dates(opening: Opening) -> None:
    page = opening("root=r&path=moments&view=table")
    drawn(page)
    cells = page.locator(".values tbody td").all_text_contents()
    assert cells == ["2020-01-01T00:00:00", "2020-01-02T12:00:00", "2020-01-03T00:00:00"]
    page = opening("root=r&path=moments")
    drawn(page)
    page.focus("canvas.over")
    page.keyboard.press("End")
    assert page.get_attribute(".readout", "data-value") == "2020-01-03T00:00:00"
    assert "hours" not in page.text_content(".readout")


def test_links_are_members_that_lead_elsewhere(opening: Opening) -> None:
    page = opening("root=r&path=linked")
    page.wait_for_selector("table.members tbody tr")
    assert page.locator("table.members tbody tr").count() == 2
    assert page.locator("table.members a").all_text_contents() == ["elsewhere"]
    page.click("text=elsewhere")
    drawn(page)
    assert page.text_content("#title") == "deep"


# Zooming


def test_zooming_reads_again_with_a_finer_step(opening: Opening) -> None:
    page = opening("root=r&path=long")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "picture" in request.url else None)
    drawn(page)
    assert "Every 3rd index" in page.text_content(".status")
    page.focus("canvas.over")
    page.keyboard.press("+")
    drawn(page, 2)
    page.keyboard.press("+")
    drawn(page, 3)
    assert "index of" not in page.text_content(".status")
    assert [re.search(r"window=0%3A(\d+)%3A(\d+)", url) is not None for url in asked] == [True, True]
    page.keyboard.press("0")
    drawn(page, 4)
    assert "window" not in asked[-1]
    box = box_of(page)
    y = box["top"] + 40
    page.locator("canvas.over").scroll_into_view_if_needed()
    place = page.locator("canvas.over").bounding_box()
    page.mouse.move(place["x"] + box["left"] + 0.2 * box["width"], place["y"] + y)
    page.mouse.down()
    page.mouse.move(place["x"] + box["left"] + 0.4 * box["width"], place["y"] + y + 60)
    page.mouse.up()
    drawn(page, 5)
    found = re.search(r"window=0:(\d+):(\d+)", page.evaluate("location.hash"))
    assert found is not None
    assert abs(int(found[1]) - 1000) < 30 and abs(int(found[2]) - 2000) < 30
    page.go_back()
    drawn(page, 6)
    assert "window" not in page.evaluate("location.hash")


def test_of_a_huge_array_few_keys_are_read(opening: Opening, store: CountingStore) -> None:
    page = opening("root=r")
    store.reset()
    page.evaluate("location.hash = 'root=r&path=huge&map=grey'")
    drawn(page)
    assert sum(store.counts.values()) < 60
    assert store.bytes_read < 2_000_000
    assert "a part from the middle is shown" in page.text_content(".status")
    page.click("button[aria-label^='Zoom in']")
    drawn(page, 2)
    assert sum(store.counts.values()) < 120


def test_an_answer_that_was_overtaken_is_not_shown(opening: Opening) -> None:
    page = opening("root=r&path=cube&map=grey")
    drawn(page)
    held: list[Any] = []
    page.route("**/api/picture?*at=0%3A1*", lambda route: held.append(route))
    page.fill("input[aria-label='Index of time']", "1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".progress:visible")
    page.fill("input[aria-label='Index of time']", "2")
    page.keyboard.press("Enter")
    drawn(page, 2)
    point(page, 39, 0, CUBE.shape[1:])
    assert np.float32(value(page)) == CUBE[2, 0, 0]
    assert len(held) == 1
    assert not page.is_visible(".progress")


# The tree


def test_the_tree_by_keyboard(opening: Opening) -> None:
    page = opening("root=r")
    page.wait_for_selector("[role=treeitem][data-path=words]")

    def focused() -> str:
        return str(page.evaluate("document.activeElement.dataset.path"))

    def press(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        return focused()

    page.focus("[role=tree] [tabindex='0']")
    assert press("Home") == ""
    assert press("ArrowDown") == "cube"
    assert press("ArrowDown", "ArrowUp", "ArrowUp") == ""
    assert press("End") == "words"
    assert press("o", "u") == "outer"
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-path='outer/inner']")
    assert press("ArrowRight") == "outer/inner"
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-path='outer/inner/deep']")
    assert press("ArrowRight") == "outer/inner/deep"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.title === 'outer/inner/deep – omnizarr'")
    assert page.get_attribute("[aria-selected=true]", "data-path") == "outer/inner/deep"
    assert press("ArrowLeft") == "outer/inner"
    assert press("ArrowLeft") == "outer/inner"
    assert page.get_attribute("[data-path='outer/inner']", "aria-expanded") == "false"
    assert press("ArrowLeft") == "outer"
    assert page.get_attribute("[data-path=outer]", "aria-level") == "2"
    assert page.locator("[role=tree] [tabindex='0']").count() == 1


def test_many_children_come_page_by_page(opening: Opening) -> None:
    page = opening("root=r&path=many")
    page.wait_for_selector("[data-path=many]")
    page.focus("[data-path=many]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-path='many/g199']", state="attached")
    assert page.locator("[data-path='many/g200']").count() == 0
    page.evaluate("document.querySelector(\"[data-path='many//more']\").scrollIntoView()")
    page.wait_for_selector("[data-path='many/g399']", state="attached")
    page.evaluate("document.querySelector(\"[data-path='many//more']\").scrollIntoView()")
    page.wait_for_selector("[data-path='many/g449']", state="attached")
    assert page.locator("[data-path^='many/']").count() == 450
    assert page.get_attribute("[data-path='many/g000']", "aria-setsize") == "450"
    page = opening("root=r&path=many/g444")
    page.wait_for_selector("[data-path='many/g444'][aria-selected=true]", state="attached")


def test_nodes_are_found_by_name(opening: Opening) -> None:
    page = opening("root=r")
    page.keyboard.press("/")
    page.keyboard.type("DEE")
    page.wait_for_function("() => document.querySelector('#found').textContent === '1 found'")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.title.startsWith('outer/inner/deep')")
    page.fill("#filter", "")
    page.wait_for_selector("[data-path='outer/inner/deep'][aria-selected=true]")


# What goes wrong, what is dangerous


def test_html_in_names_and_attributes_is_text(opening: Opening) -> None:
    page = opening("root=r")
    assert HTML in page.text_content(".attributes")
    assert page.title() == "r – omnizarr"
    page = opening("root=r&path=plain")
    drawn(page)
    assert page.text_content(".long-name") == HTML
    assert page.locator("#view script, #view img").count() == 0
    assert page.title() == "plain – omnizarr"


def test_what_cannot_be_read_is_told_of_in_words(opening: Opening, store: CountingStore) -> None:
    page = opening("root=r&path=damaged", "422")
    page.wait_for_selector(".failure:visible")
    assert "a chunk cannot be decoded" in page.text_content(".picture .failure")
    assert "damaged/c/0/1" in page.text_content(".picture .failure")
    broken = store.get("damaged/c/0/1")
    store.delete("damaged/c/0/1")
    page.click("text=Try again")
    page.wait_for_selector(".stack:visible")
    assert not page.is_visible(".failure")
    store.set("damaged/c/0/1", broken or b"")
    page = opening("root=r&path=nothing/here", "404")
    assert "there is no array or group" in page.text_content(".failure")
    page = opening("root=other")
    assert "There is no root other here" in page.text_content(".failure")


def test_a_server_that_is_gone_is_told_of(opening: Opening) -> None:
    page = opening("root=r&path=plain", "ERR_FAILED")
    drawn(page)
    page.route("**/api/**", lambda route: route.abort())
    page.click("text=Table")
    page.wait_for_selector(".failure:visible")
    assert "The server does not answer" in page.text_content(".picture .failure")


# Looks


def test_dark_and_light(opening: Opening) -> None:
    page = opening("root=r&path=plain", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    drawn(page)
    frame = pixel(page, box_of(page)["left"] - 1, box_of(page)["top"] + 5)
    assert max(map(int, re.findall(r"\d+", dark))) < 60
    page.click("#theme")
    page.click("#theme")
    light = page.evaluate(ground)
    assert min(map(int, re.findall(r"\d+", light))) > 200
    assert pixel(page, box_of(page)["left"] - 1, box_of(page)["top"] + 5) != frame
    page.reload()
    page.wait_for_selector("#title")
    assert page.evaluate(ground) == light


def test_a_link_opens_the_same_view_again(opening: Opening) -> None:
    place = "root=r&path=cube&map=tide&axes=2,0&at=1:7&window=2:10:30&range=0,50&stored=1"
    page = opening(place)
    drawn(page)
    assert page.evaluate("location.hash") == f"#{place}"
    point(page, 5, 2, (20, 3))
    assert np.float32(value(page)) == CUBE[2, 7, 15]
    page.click("button[aria-label^=Swap]")
    drawn(page, 2)
    assert "axes=0,2" in page.evaluate("location.hash")
    page.go_back()
    drawn(page, 3)
    assert page.evaluate("location.hash") == f"#{place}"


def test_on_a_phone_nothing_is_cut_off(opening: Opening) -> None:
    size = {"viewport": {"width": 360, "height": 740}, "device_scale_factor": 2, "has_touch": True}
    page = opening("root=r&path=cube", **size)
    drawn(page)
    script = "() => ({wide: document.querySelector('#view').scrollWidth, room: innerWidth})"
    found = page.evaluate(script)
    assert found["wide"] <= found["room"]
    assert box_of(page)["width"] > 200
    assert not page.is_visible("#tree")
    page.click("#toggle-tree")
    page.click("[data-path=plain] .label")
    page.wait_for_function("() => document.title === 'plain – omnizarr'")
    assert not page.is_visible("#tree")


def test_controls_have_names_and_focus_is_seen(opening: Opening) -> None:
    page = opening("root=r&path=cube")
    drawn(page)
    nameless = """() => [...document.querySelectorAll('button, input, select, canvas, [role=treeitem]')]
      .filter((e) => e.checkVisibility())
      .filter((e) => !(e.ariaLabel || e.labels?.length || e.textContent.trim() || e.title))
      .map((e) => e.outerHTML)"""
    assert page.evaluate(nameless) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_of_reduced_motion_nothing_moves(opening: Opening) -> None:
    page = opening("root=r", reduced_motion="reduce")
    page.wait_for_selector(".twist svg")
    assert page.evaluate("getComputedStyle(document.querySelector('.twist svg')).transitionDuration") == "0s"
