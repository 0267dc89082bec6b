"""By what requests to object stores are signed: options, fragments of URLs, profiles, the environment."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from omnizarr.errors import UrlError
from omnizarr.store.urls.grammar import Url
from omnizarr.store.urls.profiles import profile_options

PROFILE = "profile"
# What may stand in a fragment as `aws.NAME`, by obstore's names.
_KEYS = (
    "access_key_id",
    "secret_access_key",
    "session_token",
    "region",
    "endpoint",
    "allow_http",
    "skip_signature",
)
_SPELLINGS = {"awsprofile": "aws.profile", "awsregion": "aws.region", "aws.endpoint_url": "aws.endpoint"}
_ALWAYS = ("skip_signature", "credential_provider")
# Options and variables by which the requests to a kind of service are signed.
_SIGNING = {
    "s3": ("access_key_id", "role_arn", "web_identity_token_file", "container_credentials_relative_uri"),
    "gs": ("service_account", "service_account_key", "application_credentials", "bearer_token"),
    "az": ("account_key", "access_key", "sas_token", "sas_key", "bearer_token", "token", "client_id"),
}
_VARIABLES = {
    "s3": ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_"),
    "gs": ("GOOGLE_",),
    "az": ("AZURE_",),
}
_GCLOUD = ".config/gcloud/application_default_credentials.json"


def options_said(url: Url) -> dict[str, object]:
    """Return the options of S3 that a fragment says, by obstore's names; `profile` is ours.

    Raises
    ------
    UrlError
        There is no such option, or it is said twice.
    """
    found: dict[str, object] = {}
    for name, values in url.fragment.options:
        key = _SPELLINGS.get(name.lower(), name.lower())
        if not key.startswith("aws."):
            continue  # of netCDF-C's other protocols
        key = plain_name(key.removeprefix("aws."))
        if key not in (PROFILE, *_KEYS):
            known = ", ".join(f"aws.{known}" for known in (PROFILE, *_KEYS))
            raise UrlError(f"the fragment: expected {known}, found {name}", store=url.shown)
        if len(values) != 1 or key in found:
            raise UrlError(f"the fragment: expected one {name}, found another number", store=url.shown)
        found[key] = values[0]
    return found


def plain_name(name: str) -> str:
    """Return the name of an option of S3 without `aws_`, so that both spellings are one."""
    return name.lower().removeprefix("aws_")


def with_profile(found: dict[str, object], options: Mapping[str, object], shown: str) -> dict[str, object]:
    """Return options of S3 with those of the profile that they name, or of the usual one if none sign."""
    said = found.pop(PROFILE, None)
    named = next((value for name, value in options.items() if plain_name(name) == PROFILE), said)
    given = {plain_name(name) for name in options}
    if named is None and not given.union(found).isdisjoint((*_ALWAYS, *_SIGNING["s3"])):
        return found
    return {**profile_options(None if named is None else str(named), shown), **found}


def are_signed(kind: str, names: Collection[str]) -> bool:
    """Say whether options of these names, or the environment, say by what requests are signed, or not."""
    if kind not in _SIGNING:
        return True
    plain = set(map(plain_name, names)) | {name.removeprefix(f"{_PREFIXES[kind]}_") for name in names}
    if not plain.isdisjoint((*_ALWAYS, *_SIGNING[kind])):
        return True
    if any(name.startswith(_VARIABLES[kind]) for name in os.environ):
        return True
    return kind == "gs" and (Path.home() / _GCLOUD).exists()


_PREFIXES = {"s3": "aws", "gs": "google", "az": "azure_storage"}
