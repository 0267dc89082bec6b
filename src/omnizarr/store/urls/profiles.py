"""Credentials and regions for S3 from where AWS and netCDF-C keep them: profiles in files.

https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
https://docs.unidata.ucar.edu/netcdf-c/current/nczarr_head.html
"""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Mapping
from pathlib import Path

from omnizarr.errors import StoreError

NOBODY = "no"
"""netCDF-C's name for no profile: requests are not signed."""

_SECRETS = ("access_key_id", "secret_access_key", "session_token")
_TAKEN = (*_SECRETS, "region", "endpoint_url")
_ENVIRONMENT = ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
_RC_FILES = (".ncrc", ".daprc", ".dodsrc")
_RC_LINE = re.compile(r"\s*(AWS\.[A-Z_]+)\s*=\s*(.*?)\s*", re.IGNORECASE)


def profile_options(asked: str | None, shown: str) -> dict[str, str]:
    """Return obstore's options of a profile: keys, region, endpoint.

    Without a name it is the one of the environment's `AWS_PROFILE`, then of `AWS.PROFILE` in
    netCDF-C's files, then `default`, and where the environment has credentials none at all.

    Raises
    ------
    StoreError
        There is no such profile; it has no keys, but asks for what is not done here.
    """
    if asked == NOBODY:
        return {"skip_signature": "true"}
    rc = _rc_settings()
    name = asked or os.environ.get("AWS_PROFILE") or rc.get("AWS.PROFILE")
    profiles = _profiles()
    if name is not None and name != NOBODY and name not in profiles:
        known = ", ".join(sorted(profiles)) or "none"
        raise StoreError(f"there is no AWS profile {name!r}; there are: {known}", store=shown)
    found = dict(profiles.get(name or "default", {}))
    if name == NOBODY:
        found = {"skip_signature": "true"}
    if asked is None and any(variable in os.environ for variable in _ENVIRONMENT):
        found = {key: value for key, value in found.items() if key == "region"}
    if asked is not None and not {"access_key_id", "secret_access_key"} <= found.keys():
        message = f"the AWS profile {asked!r} has no keys"
        hint = "for roles and logins there is the option credential_provider"
        raise StoreError(f"{message}; {hint}", store=shown)
    if "region" not in found and "AWS.REGION" in rc:
        found["region"] = rc["AWS.REGION"]
    if asked is None and any(variable in os.environ for variable in _REGIONS):
        found.pop("region", None)
    return found


def _profiles() -> dict[str, dict[str, str]]:
    """Return the profiles of both files by name; what the credentials file says goes first."""
    home = Path.home() / ".aws"
    found: dict[str, dict[str, str]] = {}
    for variable, usual in (("AWS_CONFIG_FILE", "config"), ("AWS_SHARED_CREDENTIALS_FILE", "credentials")):
        path = Path(os.environ.get(variable) or home / usual).expanduser()
        for section, values in _sections(path):
            known = found.setdefault(section.removeprefix("profile ").strip(), {})
            named = {key.removeprefix("aws_"): value for key, value in values.items()}
            known |= {_obstore_name(key): value for key, value in named.items() if key in _TAKEN}
    return found


def _obstore_name(key: str) -> str:
    return "endpoint" if key == "endpoint_url" else key


def _sections(path: Path) -> list[tuple[str, Mapping[str, str]]]:
    parser = configparser.RawConfigParser(strict=False, default_section="\0", comment_prefixes=("#", ";"))
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StoreError(f"cannot read AWS profiles: {error.strerror}", store=str(path)) from error
    except (configparser.Error, UnicodeDecodeError):
        # What the parser says quotes the lines that it could not read.
        message = "cannot read AWS profiles: expected lines of [profile] and key = value"
        raise StoreError(message, store=str(path)) from None
    return [(section, parser[section]) for section in parser.sections()]


def _rc_settings() -> dict[str, str]:
    """Return what netCDF-C's files say for all hosts, the last one where several do."""
    if "NCRCENV_IGNORE" in os.environ:
        return {}
    named = os.environ.get("NCRCENV_RC")
    paths = [Path(named)] if named else [Path.home() / name for name in _RC_FILES]
    found: dict[str, str] = {}
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        said = (_RC_LINE.fullmatch(line) for line in lines)
        found |= {match[1].upper(): match[2] for match in said if match}
    return found
