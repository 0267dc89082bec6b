"""Who may ask: tokens, hosts and origins; and what answers say to browsers."""

from __future__ import annotations

import logging
import time

import pytest
from serving import Asking, asking

from omnizarr.serve.app import make_app
from omnizarr.serve.guard import host_of
from omnizarr.serve.options import ServeOptions
from omnizarr.serve.roots import Root
from omnizarr.serve.tokens import check_token, new_token
from omnizarr.store import MemoryStore

TOKEN = "the-right-token-of-all"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
HTML = {"Accept": "text/html,*/*;q=0.8"}


def served_with(**options: object) -> Asking:
    store = MemoryStore()
    store.set("v", b"value")
    return asking(store, **{"token": TOKEN, **options})


@pytest.fixture
def ask() -> Asking:
    return served_with()


@pytest.mark.parametrize(
    "target", ["/data/d/v", "/data/d/", "/data/none", "/", "/page/index.html", "/api/roots"]
)
def test_nothing_is_answered_without_the_token(ask: Asking, target: str) -> None:
    wrong = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": "Bearer \xff"},
        {"Cookie": f"token={TOKEN}"},
        {"Cookie": "omnizarr-00000000=x"},
        {"Cookie": ";;=;\xff"},
    ]
    for headers in wrong:
        found = ask("GET", target, headers)
        assert (found.status, found.headers["www-authenticate"]) == (401, 'Bearer realm="omnizarr"')
        assert b"value" not in found.body
    for query in ("token=", "token=wrong", "token=%FF", f"token={TOKEN}&token=wrong"):
        assert ask.get(f"{target}?{query}").status == 401


def test_programs_show_the_token_in_a_header_or_the_address(ask: Asking) -> None:
    assert ask("GET", "/data/d/v", BEARER).body == b"value"
    assert ask("GET", "/data/d/v", {"Authorization": f"bearer  {TOKEN} "}).body == b"value"
    assert ask.get(f"/data/d/v?token={TOKEN}").body == b"value"
    assert ask("GET", f"/data/d/?recursive=1&token={TOKEN}").status == 200
    assert ask("GET", f"/data/d/v?token={TOKEN}", {"Authorization": "Bearer wrong"}).status == 401


def test_a_browser_gets_a_cookie_and_is_led_on_without_the_token(ask: Asking) -> None:
    for target, location in [("/", "./"), ("/page/index.html", "./index.html")]:
        found = ask("GET", f"{target}?token={TOKEN}", HTML)
        assert (found.status, found.headers["location"]) == (303, location)
        assert found.headers["cache-control"] == "no-store"
    found = ask("GET", f"/?a=1&token={TOKEN}&b=2", HTML)
    assert found.headers["location"] == "./?a=1&b=2"
    cookie = found.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert TOKEN not in cookie and "Secure" not in cookie
    shown = {"Cookie": f"other=1; {cookie.split(';')[0]}"}
    assert ask("GET", "/data/d/v", shown).body == b"value"
    assert ask("GET", "/", {**shown, **HTML}).status == 200
    assert served_with(token=TOKEN[::-1])("GET", "/data/d/v", shown).status == 401


def test_a_browser_that_comes_from_elsewhere_is_led_on_by_a_page(ask: Asking) -> None:
    found = ask("GET", f"/?token={TOKEN}&x=%22%3E%3Cscript%3E", {**HTML, "Sec-Fetch-Site": "cross-site"})
    assert (found.status, found.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"url=./?x=%22%3E%3Cscript%3E" in found.body and b"<script" not in found.body
    assert TOKEN.encode() not in found.body
    assert "set-cookie" in found.headers


def test_behind_a_proxy_with_tls_the_cookie_is_for_tls_alone() -> None:
    ask = served_with(public_url="https://example.org/x/")
    assert "Secure" in ask("GET", f"/?token={TOKEN}", HTML).headers["set-cookie"]


def test_a_wrong_token_takes_time() -> None:
    slow = Asking(make_app([Root("d", "", MemoryStore())], ServeOptions(token=TOKEN, penalty=0.05)))
    begun = time.monotonic()
    assert slow.get("/data/d/v?token=wrong").status == 401
    assert time.monotonic() - begun >= 0.05


def test_tokens_are_never_logged_or_shown(ask: Asking, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ask("GET", f"/data/d/v?token={TOKEN}")
    ask("GET", "/data/d/v?token=wrong-but-secret", {"Authorization": "Bearer also-a-secret"})
    ask("GET", f"/?token={TOKEN}", HTML)
    assert "GET /data/d/v 200" in caplog.text and "a wrong token from 127.0.0.1" in caplog.text
    assert TOKEN not in caplog.text and "secret" not in caplog.text
    assert TOKEN not in repr(ServeOptions(token=TOKEN))


def test_tokens_are_long_and_fit_into_headers() -> None:
    assert check_token(TOKEN) == TOKEN
    assert len(new_token()) >= 43 and new_token() != new_token()
    for wrong in ("", "short", "x" * 15, "with a space in it", "ümlaut" * 5, "x" * 20 + "\n"):
        with pytest.raises(ValueError, match="expected at least 16") as caught:
            check_token(wrong)
        assert not wrong or wrong not in str(caught.value)


# Hosts


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:8000", "LOCALHOST:1", "[::1]:8000", "[::1]", "localhost."]
)
def test_names_of_this_machine_are_known(host: str) -> None:
    assert served_with(token=None)("GET", "/data/d/v", {"Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]"],
)
def test_other_hosts_are_refused(host: str) -> None:
    for target in ("/data/d/v", "/", "/api/roots"):
        assert served_with(token=None)("GET", target, {"Host": host}).status == 421
    assert served_with()("GET", "/data/d/v", {"Host": host, **BEARER}).status == 421


def test_hosts_that_are_allowed_are_known() -> None:
    assert (
        served_with(hosts=("example.org",))("GET", "/data/d/v", {"Host": "example.org:8", **BEARER}).status
        == 200
    )
    assert served_with(hosts=())("GET", "/data/d/v", {"Host": "any.example", **BEARER}).status == 200
    assert [host_of(text) for text in ("A:1", "a", "[::1]:1", "a.")] == ["a", "a", "[::1]", "a"]


# Origins

ELSEWHERE = {"Origin": "https://elsewhere.example"}
PREFLIGHT = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}


def test_pages_of_other_origins_are_told_nothing() -> None:
    ask = served_with(token=None)
    found = ask("GET", "/data/d/v", ELSEWHERE)
    assert not [name for name in found.headers if name.startswith("access-control")]
    assert found.headers["cross-origin-resource-policy"] == "same-origin"
    assert ask("OPTIONS", "/data/d/v", {**ELSEWHERE, **PREFLIGHT}).status == 403


def test_pages_of_an_origin_that_is_let_in_read() -> None:
    ask = served_with(origins=("https://elsewhere.example",))
    found = ask("OPTIONS", "/data/d/v", {**ELSEWHERE, **PREFLIGHT})
    assert found.status == 204
    assert found.headers["access-control-allow-origin"] == "https://elsewhere.example"
    assert "range" in found.headers["access-control-allow-headers"]
    assert "PUT" not in found.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in found.headers
    found = ask("GET", "/data/d/v", {**ELSEWHERE, **BEARER, "Range": "bytes=0-1"})
    assert found.headers["access-control-allow-origin"] == "https://elsewhere.example"
    assert {"ETag", "Content-Range", "Content-Length"} <= set(
        found.headers["access-control-expose-headers"].split(", ")
    )
    assert "Origin" in found.headers["vary"]
    assert ask("GET", "/data/d/v", ELSEWHERE).status == 401
    other = ask("GET", "/data/d/v", {"Origin": "https://other.example", **BEARER})
    assert "access-control-allow-origin" not in other.headers and "Origin" in other.headers["vary"]


def test_any_origin_is_let_in_where_that_is_said_but_never_its_cookies() -> None:
    ask = served_with(token=None, origins=("*",))
    found = ask("GET", "/data/d/v", ELSEWHERE)
    assert found.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in found.headers
    private = {"Access-Control-Request-Private-Network": "true"}
    found = ask("OPTIONS", "/data/d/v", {**ELSEWHERE, **PREFLIGHT, **private})
    assert found.headers["access-control-allow-private-network"] == "true"
    assert ask("GET", "/data/d/none", ELSEWHERE).headers["access-control-allow-origin"] == "*"


def test_pages_of_other_origins_change_nothing_but_with_a_token() -> None:
    for origins in ((), ("*",)):
        ask = served_with(token=None, origins=origins, writable=True)
        for method in ("PUT", "DELETE"):
            assert ask(method, "/data/d/v", ELSEWHERE, b"new").status == 403
        assert ask("PUT", "/data/d/v", {"Origin": "null"}, b"new").status == 403
        assert ask("PUT", "/data/d/v", {"Origin": "http://localhost"}, b"new").status == 204
    ask = served_with(origins=("*",), writable=True)
    assert ask("PUT", "/data/d/v", ELSEWHERE, b"new").status == 401
    assert ask("PUT", "/data/d/v", {**ELSEWHERE, **BEARER}, b"new").status == 204
    asked = {**ELSEWHERE, **PREFLIGHT, "Access-Control-Request-Method": "PUT"}
    assert "PUT" in ask("OPTIONS", "/data/d/v", asked).headers["access-control-allow-methods"]


# What answers say


@pytest.mark.parametrize(
    "target", ["/", "/page/index.html", "/data/d/v", "/data/d/none", "/none", "/api/roots"]
)
def test_every_answer_keeps_browsers_from_guessing_and_framing(target: str) -> None:
    found = served_with(token=None).get(target)
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["referrer-policy"] == "no-referrer"
    assert "cache-control" in found.headers
