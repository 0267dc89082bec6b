"""What the metadata of conventions are made of: frozen models that check themselves, with exact places."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from omnizarr.jsontypes import Problems, shown
from omnizarr.zom.faults import Violation, refusal
from omnizarr.zom.types import Items

T = TypeVar("T")


class Part(BaseModel):
    """A JSON object within attributes; names that it does not have are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    nullable: ClassVar[frozenset[str]] = frozenset()
    """The names that may be null. Others that may be left out are None then, but null they are not."""

    def faults(self) -> Iterator[Violation]:
        """Yield what does not fit together in values whose types are sound."""
        return iter(())

    @model_validator(mode="after")
    def _checked(self) -> Self:
        if found := [*self._nulls(), *self.faults()]:
            raise refusal(type(self).__name__, self, Problems(), found)
        return self

    def _nulls(self) -> Iterator[Violation]:
        for name, field in type(self).model_fields.items():
            given = name in self.model_fields_set and name not in self.nullable
            if given and getattr(self, name) is None:
                yield Violation(field.alias or name, "expected a value, or no such name; found null")


def repeated(at: str, name: str, values: Sequence[Hashable]) -> Iterator[Violation]:
    """Yield each value of a list of objects that an earlier one has too."""
    first: dict[Hashable, int] = {}
    for number, value in enumerate(values):
        if first.setdefault(value, number) < number:
            there = f"{at}[{first[value]}]"
            yield Violation(
                f"{at}[{number}].{name}", f"expected another than that of {there}, found {shown(value)}"
            )


def _as_given(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Check a number and leave it as it is: an integer that is a float elsewhere is written back as one."""
    check(value)
    return value


Number: TypeAlias = Annotated[float, Field(strict=True, allow_inf_nan=False), WrapValidator(_as_given)]
"""A finite number, kept as it is spelled: 1 does not become 1.0."""

Text: TypeAlias = Annotated[str, Field(strict=True)]
"""A string, and nothing that could be made one."""


def _filled(values: Sequence[T]) -> Sequence[T]:
    if not values:
        raise ValueError("expected at least one, found none")
    return values


Filled: TypeAlias = Annotated[Items[T], AfterValidator(_filled), Field(json_schema_extra={"minItems": 1})]
"""One or more things in order. What pydantic says of `min_length` leaves out those that are at fault."""

Index: TypeAlias = Annotated[int, Field(strict=True, ge=0)]
"""An integer of at least 0."""

Count: TypeAlias = Annotated[int, Field(strict=True, gt=0)]
"""An integer of at least 1."""
