"""Addresses of object stores, and where credentials for them are found."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest

from omnizarr.errors import StoreError, UrlError
from omnizarr.hierarchy.linking.sources import options_for, outer_places
from omnizarr.netcdf.dialects.modes import asked_of
from omnizarr.netcdf.opened.opening import Place
from omnizarr.store import MemoryStore, ObjectStore, open_store
from omnizarr.store.urls import services
from omnizarr.store.urls.grammar import parse_url
from omnizarr.store.urls.services import addressed, names_endpoint

_VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "NCRCENV_IGNORE",
    "NCRCENV_RC",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "GOOGLE_SERVICE_ACCOUNT",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def profiles(home: Path) -> Path:
    folder = home / ".aws"
    folder.mkdir()
    (folder / "config").write_text(
        "[default]\nregion = eu-north-1\n\n[profile me]\nregion=eu-west-3\naws_access_key_id = old\n"
        "endpoint_url = https://objects.example.org\n[profile role]\nrole_arn = arn:x\n"
    )
    (folder / "credentials").write_text(
        "# keys\n[default]\naws_access_key_id=D\naws_secret_access_key=DS\n\n"
        "[me]\naws_access_key_id=M\naws_secret_access_key = MS=/+\naws_session_token=MT\n"
    )
    return folder


_ME = {
    "access_key_id": "M",
    "secret_access_key": "MS=/+",
    "session_token": "MT",
    "region": "eu-west-3",
    "endpoint": "https://objects.example.org",
}
_DEFAULT = {"access_key_id": "D", "secret_access_key": "DS", "region": "eu-north-1"}


def said(url: str, options: Mapping[str, object] | None = None) -> dict[str, object]:
    return addressed(parse_url(url), options or {})[1]


def test_a_profile_is_the_one_that_is_named(profiles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said("s3://b/k") == _DEFAULT
    assert said("s3://b/k#aws.profile=me") == said("s3://b/k#mode=zarr&awsprofile=me") == _ME
    assert (
        said("s3://b/k", {"profile": "me"}) == said("s3://b/k#aws.profile=none", {"aws_profile": "me"}) == _ME
    )
    assert said("s3://b/k#aws.profile=no") == {"skip_signature": "true"}
    monkeypatch.setenv("AWS_PROFILE", "me")
    assert said("s3://b/k") == _ME
    assert said("s3://b/k#aws.profile=default") == _DEFAULT


def test_what_is_said_goes_first(profiles: Path) -> None:
    assert said("s3://b/k", {"access_key_id": "X", "secret_access_key": "Y"}) == {
        "access_key_id": "X",
        "secret_access_key": "Y",
    }
    assert said("s3://b/k#aws.access_key_id=X&aws.secret_access_key=Y") == {
        "access_key_id": "X",
        "secret_access_key": "Y",
    }
    assert said("s3://b/k", {"skip_signature": True}) == {"skip_signature": True}
    url = "https://b.s3.us-east-2.amazonaws.com/k#aws.profile=me&aws.endpoint=http://e"
    assert said(url)["region"] == "us-east-2"
    assert said(f"{url}&aws.region=r")["region"] == "r"
    assert said(f"{url}&aws.region=r", {"aws_region": "o"}) == {
        **{name: value for name, value in _ME.items() if name != "region"},
        "endpoint": "http://e",
        "aws_region": "o",
    }


def test_the_environment_goes_before_the_usual_profile(
    profiles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "E")
    assert said("s3://b/k") == {"region": "eu-north-1"}
    assert said("s3://b/k#aws.profile=me") == _ME
    monkeypatch.setenv("AWS_REGION", "here")
    assert said("s3://b/k") == {}
    assert said("https://s3.amazonaws.com/b/k") == {}  # signed by what obstore finds


def test_files_that_the_environment_names(
    profiles: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = home / "elsewhere"
    other.write_text("[default]\naws_access_key_id=O\naws_secret_access_key=OS\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(other))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(home / "none"))
    assert said("s3://b/k") == {"access_key_id": "O", "secret_access_key": "OS"}


def test_files_of_netcdf_c(profiles: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".ncrc").write_text("HTTP.TIMEOUT=10\n[https://h]AWS.PROFILE=other\nAWS.PROFILE=me\n")
    assert said("s3://b/k") == _ME
    (home / ".dodsrc").write_text("AWS.PROFILE = default\n")
    assert said("s3://b/k") == _DEFAULT
    rc = home / "rc"
    rc.write_text("AWS.REGION=rc\nAWS.PROFILE=no\n")
    monkeypatch.setenv("NCRCENV_RC", str(rc))
    assert said("s3://b/k") == {"skip_signature": "true", "region": "rc"}
    monkeypatch.setenv("NCRCENV_IGNORE", "1")
    assert said("s3://b/k") == _DEFAULT


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "there is no AWS profile 'nobody'; there are: default, me, role"),
        ("role", "'role' has no keys; for roles and logins there is the option credential_provider"),
    ],
)
def test_profiles_that_cannot_be_used(name: str, message: str, profiles: Path) -> None:
    with pytest.raises(StoreError, match=message):
        said(f"s3://b/k#aws.profile={name}")


def test_a_broken_file_of_profiles_is_not_quoted(profiles: Path) -> None:
    (profiles / "credentials").write_text("aws_secret_access_key = S3cr3t\n")
    with pytest.raises(StoreError, match="cannot read AWS profiles: expected lines") as caught:
        said("s3://b/k")
    assert "S3cr3t" not in str(caught.value) and caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3:///k", "the bucket: expected s3://BUCKET/PATH, found none"),
        ("s3://localhost:9000", "the bucket: expected s3://localhost:9000/BUCKET/PATH, found none"),
        ("s3+http://h/", r"the bucket: expected s3\+http://h/BUCKET/PATH, found none"),
        ("https:///k", "the host: expected https://HOST/PATH, found none"),
        ("s3://b/k?x=S3cr3t", "the query: expected none; credentials are storage_options"),
        ("gs://b/k#aws.region=x", "the fragment: aws.region means nothing for gs"),
        ("http://h/k#aws.profile=x", "the fragment: aws.profile means nothing for http"),
        ("s3://b/k#aws.keys=S3cr3t", "the fragment: expected aws.profile, .*, found aws.keys"),
        ("s3://b/k#aws.region=a,b", "the fragment: expected one aws.region"),
        ("s3://b/k#aws.region", "the fragment: expected one aws.region"),
    ],
)
def test_what_is_wrong_with_an_address(url: str, message: str) -> None:
    with pytest.raises(UrlError, match=message) as caught:
        said(url)
    assert "S3cr3t" not in str(caught.value)


def test_a_name_with_a_dot_is_a_host_where_netcdf_says_so() -> None:
    assert addressed(parse_url("s3://my.bucket/k"), {}) == ("s3://my.bucket/k", {})
    place, options = addressed(parse_url("s3://my.host/bucket/k#mode=nczarr,s3"), {})
    assert (place, options["endpoint"]) == ("s3://bucket/k", "https://my.host")
    assert addressed(parse_url("s3://10.0.0.1/bucket/k"), {})[1]["endpoint"] == "https://10.0.0.1"


def test_an_endpoint_of_ones_own_makes_a_name_with_a_dot_a_bucket() -> None:
    options = {"endpoint": "http://h:1", "skip_signature": True}
    assert addressed(parse_url("s3://my.bucket/k"), options) == ("s3://my.bucket/k", options)
    url = parse_url("s3://my.bucket/k#aws.endpoint=http://h:1&aws.skip_signature=true")
    assert addressed(url, {})[0] == "s3://my.bucket/k"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("s3://bucket/k", False),
        ("s3://b/k#aws.region=x", False),
        ("s3://b/k#aws.endpoint=http://h", True),
        ("s3://h.example/b/k#mode=zarr", True),
        ("s3://h.example/b/k", False),
        ("s3+http://h/b/k", True),
        ("gs3://b/k", True),
        ("https://h/b/k", False),
        ("https://h/b/k#mode=s3", True),
        ("https://b.s3.amazonaws.com/k", False),
        ("https://h/p|zip:", False),
        ("a/b", False),
        ("file:///a", False),
    ],
)
def test_which_places_name_a_server_of_the_protocol_of_s3(place: str, expected: bool) -> None:
    assert names_endpoint(place, {}) is expected


def test_links_have_no_requests_signed_for_a_server_that_they_name(profiles: Path) -> None:
    here = MemoryStore()
    given = {"access_key_id": "A", "secret_access_key": "S", "timeout": "1s"}
    for target in ("s3://evil.example:9000/b/k", "https://evil.example/b/k#mode=s3&aws.profile=me"):
        options = options_for(target, here, given)
        assert options == {"timeout": "1s", "skip_signature": True}
        assert said(target, options)["skip_signature"] is True


def test_links_within_a_server_have_what_its_file_has() -> None:
    pytest.importorskip("obstore")
    given = {"access_key_id": "A", "secret_access_key": "S"}
    ours = open_store("s3://localhost:9000/b/a.zarr", mode="a", storage_options=given)
    (target,) = outer_places(ours, "", "../b.zarr")
    assert target == "s3://localhost:9000/b/b.zarr"
    assert options_for(target, ours, given) == given
    assert options_for("s3://localhost:9001/b/b.zarr", ours, given) == {"skip_signature": True}


def test_signatures_in_queries() -> None:
    azure = addressed(parse_url("https://account.blob.core.windows.net/c/p?sv=1&sig=S3cr3t"), {})
    assert azure == ("az://c/p", {"account_name": "account", "sas_token": "sv=1&sig=S3cr3t"})
    aws = addressed(parse_url("https://b.s3.amazonaws.com/p?X-Amz-Signature=S3cr3t"), {})
    assert aws == ("https://b.s3.amazonaws.com/p?X-Amz-Signature=S3cr3t", {})


@pytest.mark.parametrize(
    ("variable", "url"),
    [
        ("AZURE_STORAGE_ACCOUNT_KEY", "https://a.blob.core.windows.net/c/p"),
        ("GOOGLE_SERVICE_ACCOUNT", "https://storage.googleapis.com/b/k"),
    ],
)
def test_what_the_environment_signs_is_signed(
    variable: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(url)["skip_signature"] == "true"
    monkeypatch.setenv(variable, "x")
    assert "skip_signature" not in said(url)


def test_values_with_credentials_show_none() -> None:
    options = {"secret_access_key": "S3cr3t"}
    url = "https://a.blob.core.windows.net/c/p?sig=S3cr3t#zarr&aws.x=S3cr3t"
    place = Place(target=url, path=None, storage_options=options, consolidated=False)
    service = services._service(parse_url(url), has_endpoint=False)
    assert service.options["sas_token"] == "sig=S3cr3t"
    assert "S3cr3t" not in f"{place!r} {asked_of(url)!r} {service!r} {parse_url(url)!r}"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("s3://b/k#aws.region=x", "s3://b/k"),
        ("https://b.s3.eu-west-1.amazonaws.com/k/", "https://b.s3.eu-west-1.amazonaws.com/k"),
        ("https://s3.eu-west-1.amazonaws.com/b/k#mode=s3", "https://s3.eu-west-1.amazonaws.com/b/k"),
        (
            "s3://localhost:9000/b/k#aws.access_key_id=A&aws.secret_access_key=S3cr3t",
            "s3://localhost:9000/b/k",
        ),
        ("https://h/b/k#mode=s3", "s3+https://h/b/k"),
        ("http://h:1/b/k#mode=s3", "s3+http://h:1/b/k"),
        ("https://a.blob.core.windows.net/c/p?sv=1&sig=S3cr3t", "https://a.blob.core.windows.net/c/p"),
        ("https://storage.googleapis.com/b/k", "https://storage.googleapis.com/b/k"),
        ("https://storage.googleapis.com/b/k#mode=gs3", "gs3://b/k"),
        ("https://b.storage.googleapis.com/k#mode=gs3", "gs3://b/k"),
        ("https://h/p?token=S3cr3t", "https://h/p"),
        ("gs3://b/k#aws.access_key_id=A&aws.secret_access_key=S3cr3t", "gs3://b/k"),
    ],
)
def test_the_name_of_a_store_is_an_address_of_it_without_credentials(url: str, name: str) -> None:
    pytest.importorskip("obstore")
    store = open_store(url, mode="r")
    inner = getattr(store, "inner", store)
    assert isinstance(inner, ObjectStore) and store.name == inner.name == name
    assert "S3cr3t" not in f"{store!r} {store} {inner.name} {inner.identity}"
    again = pickle.loads(pickle.dumps(inner))
    assert again.name == name and again.identity == inner.identity
    if "?" not in url:
        assert addressed(parse_url(name), {})[0].rstrip("/") == addressed(parse_url(url), {})[0].rstrip("/")
        assert addressed(parse_url(name), {})[1].get("endpoint") == addressed(parse_url(url), {})[1].get(
            "endpoint"
        )
