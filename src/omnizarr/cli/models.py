"""The models that a user names: conventions, and classes in modules and files of Python."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem
from pydantic.errors import PydanticUserError

from omnizarr.cli.completing import names
from omnizarr.jsontypes import shown
from omnizarr.zom import v2, v3
from omnizarr.zom.conventions import CONVENTIONS, convention
from omnizarr.zom.node import NodeSpec

_VERSIONS: dict[str, type[NodeSpec[Any]]] = {"v2": v2.GroupSpec, "v3": v3.GroupSpec}


def complete_model(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the models whose names start so; else files, which may hold some."""
    return names((*_VERSIONS, *CONVENTIONS), incomplete) or [CompletionItem(incomplete, type="file")]


def model_named(text: str, zarr_format: int = 3, also: str = "") -> type[NodeSpec[Any]]:
    """Return the model that a user names.

    Parameters
    ----------
    text
        `v2` or `v3`, the groups of a version of Zarr; a convention; `package.module:Model`, where modules in
        the current directory are found as by `python -m`; or `path/to/file.py:Model`. The module is
        imported, and so runs; nothing else does.
    zarr_format
        The version of Zarr that a convention is wanted for.
    also
        What else the user might have named; for the message where it is nothing at all.

    Raises
    ------
    click.UsageError
        There is no such model, or its module fails.
    ConversionError
        The convention is none of this version of Zarr.
    """
    if text in _VERSIONS:
        return _VERSIONS[text]
    if text in CONVENTIONS:
        return convention(text, zarr_format)
    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        classes = ("package.module:Model", "path/to/file.py:Model", *([also] if also else []))
        *known, last = *_VERSIONS, *sorted(CONVENTIONS), *classes
        raise click.UsageError(f"expected {', '.join(known)} or {last}, found {shown(text)}")
    module = _of_file(Path(place)) if place.endswith(".py") else _of_name(place)
    return _complete(_model_in(module, place, name), text)


# --- modules


def _of_name(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise click.UsageError(f"expected package.module before the colon, found {shown(name)}")
    try:
        # As `python -P -m` does, a user may ask for no modules of the current directory.
        with _importable(None if sys.flags.safe_path else Path.cwd()):
            return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise click.UsageError(f"there is no module {error.name!r}{_below(name, error.name)}") from error
        raise _failed(name, error) from error
    except (Exception, SystemExit) as error:
        raise _failed(name, error) from error


def _below(name: str, missing: str) -> str:
    return "" if name == missing else f", and so no {name!r}"


def _of_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise click.UsageError(f"there is no file {shown(str(path))}")
    name = f"_omnizarr_{path.stem}_{abs(hash(path.resolve())):x}"  # none that another module has
    spec = spec_from_file_location(name, path.resolve())
    assert spec is not None and spec.loader is not None, "a name that ends in .py has a loader"
    module = module_from_spec(spec)
    sys.modules[name] = module  # where pydantic looks up the names in annotations
    try:
        with _importable(path.resolve().parent):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _failed(str(path), error) from error
    return module


@contextmanager
def _importable(directory: Path | None) -> Iterator[None]:
    """Let modules of a directory be imported, and not for longer than that: later ones are not the user's."""
    if directory is None:
        yield
        return
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        with suppress(ValueError):
            sys.path.remove(str(directory))


def _failed(name: str, error: BaseException) -> click.UsageError:
    """Return what is told of a module that raises: what, and in which line of whose file."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<frozen") and file != __file__ and "importlib" not in file:
            place = f" ({file}, line {trace.tb_lineno})"
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        place = ""  # the message has it
    return click.UsageError(f"{name} cannot be imported: {type(error).__name__}: {error}{place}")


# --- models in them


def _model_in(module: ModuleType, place: str, name: str) -> type[NodeSpec[Any]]:
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise click.UsageError(f"{place} has no {shown(name)}; {_models_of(module)}")
        found = getattr(found, part)
    if not _is_model(found):
        expected = "a model (a subclass of an ArraySpec or a GroupSpec)"
        what = f"the class {found.__name__}" if isinstance(found, type) else shown(found)
        raise click.UsageError(f"{place}:{name} is {what}, expected {expected}; {_models_of(module)}")
    model: type[NodeSpec[Any]] = found
    return model


def _is_model(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, NodeSpec) and hasattr(value, "version")


def _models_of(module: ModuleType) -> str:
    names = [name for name, value in vars(module).items() if _is_model(value) and name[:1] != "_"]
    return f"its models: {', '.join(sorted(names))}" if names else "it has no models"


def _complete(model: type[NodeSpec[Any]], text: str) -> type[NodeSpec[Any]]:
    """Return a model whose annotations are all known, which pydantic finds out at first use."""
    try:
        model.model_rebuild()
    except (PydanticUserError, NameError) as error:
        raise click.UsageError(f"{text} is not complete: {str(error).splitlines()[0]}") from error
    return model
