"""Types of values of ConfigDB: every value is a string there, and a number, a list or a length here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, ValidationInfo
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema, ErrorDetails


class Refused(NamedTuple):
    """Sentences about a value that its table does not allow."""

    problem: str
    expected: str
    """Value that would be right, in words."""


def refusal(problem: str, expected: str) -> PydanticCustomError:
    """Returns the error that a validator raises."""
    return PydanticCustomError("sonic", "{problem}; {expected}", {"problem": problem, "expected": expected})


def refused(detail: ErrorDetails) -> Refused:
    """Returns what is wrong with a value, and what is expected."""
    if detail["type"] == "sonic":
        return Refused(**detail["ctx"])
    if detail["type"] == "missing":
        return Refused("is missing", "add it, its table needs it")
    if detail["type"] in ("model_type", "dict_type"):
        return Refused("is not allowed", "expected an object of fields, in braces")
    expected = detail["msg"].removeprefix("Input should be ").replace("Input", "input")
    return Refused("is not allowed", f"expected {expected}")


_MOST = 2**64 - 1
"""The largest number of SONiC's models."""


def _integer(value: Any) -> Any:  # noqa: ANN401 what stands in a file
    if not isinstance(value, str):
        return value
    value = value.strip()  # as SONiC's models and stoul do
    if not re.fullmatch(r"-?[0-9]+", value):
        raise refusal("is no whole number", "expected digits only")
    return value if len(value) <= len(f"-{_MOST}") else _in_64_bits(_MOST + 1)


def _in_64_bits(value: int) -> int:
    if value > _MOST:
        raise refusal("is more than 64 bits hold", f"expected at most {_MOST}")
    return value


def _boolean(value: Any) -> Any:  # noqa: ANN401
    if value not in ("true", "false", True, False):
        raise refusal("is neither true nor false", "expected one of them")
    return value in ("true", True)


def number_or(word: str, largest: int) -> BeforeValidator:
    """Returns a validator of a number up to the largest, or of a word in its place."""

    def check(value: Any) -> Any:  # noqa: ANN401
        if value == word or (isinstance(value, int) and 0 <= value <= largest):
            return value
        if not isinstance(value, str) or not re.fullmatch("[0-9]{1,3}", value) or int(value) > largest:
            raise refusal("is not allowed", f"expected a number from 0 to {largest}, or {word}")
        return int(value)

    return BeforeValidator(check)


OF_FILE = object()
"""The context in which values are validated that stand in a file."""


def _length(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401
    if not isinstance(value, str) and info.context is not OF_FILE:
        return value
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]+m", value):
        raise refusal("is no length", "expected whole metres with their unit, such as 40m")
    return int(value[:-1])


def _priorities(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, tuple):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"([0-7](,[0-7])*)?", value):
        raise refusal("is no list of priorities", 'expected numbers from 0 to 7 in one text with commas, such as "3,4"')
    return tuple(int(part) for part in value.split(",") if part)


def _names(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, tuple):
        return value
    if not isinstance(value, str) or not re.fullmatch(r"([^,\s]+(,[^,\s]+)*)?", value):
        expected = 'expected them in one text with commas and no spaces, such as "first,second"'
        raise refusal("is no list of names", expected)
    return tuple(part for part in value.split(",") if part)


_TEXT = PlainSerializer(str)

Integer = Annotated[int, BeforeValidator(_integer), AfterValidator(_in_64_bits), _TEXT]
Bytes = Annotated[Integer, Field(ge=0)]
Percent = Annotated[Integer, Field(ge=0, le=100)]
DscpOfHeaders = Annotated[int | Literal["from-tc"], number_or("from-tc", 63), _TEXT]
QueueOfHeaders = Annotated[int | Literal["dynamic"], number_or("dynamic", 255), _TEXT]
LEAST_EXPONENT, MOST_EXPONENT = -8, 7
Exponent = Annotated[Integer, Field(ge=LEAST_EXPONENT, le=MOST_EXPONENT)]
"""Of two: alpha = 2^n."""
Boolean = Annotated[bool, BeforeValidator(_boolean), PlainSerializer(lambda value: str(value).lower())]
CableLength = Annotated[int, Field(ge=0), BeforeValidator(_length), PlainSerializer(lambda metres: f"{metres}m")]
LengthIfKnown = Annotated[CableLength | None, BeforeValidator(lambda value: None if value == "None" else value)]
"""Not known where it is `None`."""
Priorities = Annotated[
    tuple[int, ...], BeforeValidator(_priorities), PlainSerializer(lambda values: ",".join(map(str, values)))
]
Names = Annotated[tuple[str, ...], BeforeValidator(_names), PlainSerializer(",".join)]


@dataclass(frozen=True)
class RowOf:
    """The name of a row of a table; `[TABLE|name]`, the form before 2021, is read as the name alone."""

    table: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401
        return core_schema.no_info_before_validator_function(self._alone, handler(source))

    def _alone(self, value: Any) -> Any:  # noqa: ANN401
        bracketed = re.fullmatch(rf"\[{self.table}\|(.+)\]", value) if isinstance(value, str) else None
        return bracketed[1] if bracketed else value


class RowsOf(RowOf):
    """Names of rows in one text, with commas between."""

    def _alone(self, value: Any) -> Any:  # noqa: ANN401
        return ",".join(map(super()._alone, value.split(","))) if isinstance(value, str) else value


def _number_to(largest: int, what: str) -> AfterValidator:
    def check(key: str) -> str:
        if not re.fullmatch("[0-9]+", key) or int(key) > largest:
            raise refusal(f"is no {what}", f"expected a number from 0 to {largest}")
        return key

    return AfterValidator(check)


DscpKey = Annotated[str, _number_to(63, "DSCP")]
TrafficClassKey = Annotated[str, _number_to(15, "traffic class")]
PriorityKey = Annotated[str, _number_to(7, "priority")]


def indices(text: str) -> range:
    """Returns the indices that `3-4` or `3` stands for."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


_PORTS = r"[^|,]+(,[^|,]+)*"


def _port_indices(largest: int, of: str) -> AfterValidator:
    def check(key: str) -> str:
        index = key.rpartition("|")[2]
        if not re.fullmatch(rf"([^|]+\|[^|]+\|)?{_PORTS}\|[0-9]+(-[0-9]+)?", key):
            raise refusal("is no key of this table", f"expected PORT|{of} or PORT|{of}-{of}, such as Ethernet0|3-4")
        found = indices(index)
        if not found or found[-1] > largest:
            raise refusal(f"names {of.lower()} {index}", f"expected 0 to {largest}, the first not above the last")
        return key

    return AfterValidator(check)


def _without_leading_zeros(key: str) -> str:
    index = key.rpartition("|")[2]
    plain = re.sub(r"\b0+(?=[0-9])", "", index)
    if index != plain:
        raise refusal(f"names {index} with a leading zero", f"expected {plain}")
    return key


QueueKey = Annotated[str, _port_indices(15, "QUEUE")]
"""Of QUEUE, whose model leaves open how a number is written."""
BufferQueueKey = Annotated[QueueKey, AfterValidator(_without_leading_zeros)]
PriorityGroupKey = Annotated[str, _port_indices(7, "GROUP"), AfterValidator(_without_leading_zeros)]


def _ports(key: str) -> str:
    if not re.fullmatch(_PORTS, key):
        raise refusal("is no key of this table", "expected the name of a port, such as Ethernet0")
    return key


PortKey = Annotated[str, AfterValidator(_ports)]


def card_of(key: str) -> tuple[str, ...]:
    """Host and chip of a chassis' line card, whose queue a key `host|asic|port|queue` is about; empty in other keys."""
    return tuple(key.split("|")[:-2])


def ports_of(key: str) -> list[str]:
    """Returns the ports that a key `Ethernet0,Ethernet4|3-4` is about: of its line card, where it names one."""
    return key.split("|")[-2].split(",")


def indices_of(key: str) -> range:
    """Returns the priority groups or queues that a key `Ethernet0|3-4` is about."""
    return indices(key.rpartition("|")[2])
