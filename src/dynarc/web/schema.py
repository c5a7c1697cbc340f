"""Values checked by the schemas that the OpenAPI document shows: one place says what a request may hold."""

from collections.abc import Mapping
from typing import Any

from dynarc.errors import DynarcError

Schema = Mapping[str, Any]


class InvalidRequestError(DynarcError):
    """Raised when a request does not hold what its schema asks for; the message says where and what."""


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def check(value: Any, schema: Schema, where: str = "the body") -> None:
    """Raises InvalidRequestError unless the value is as the schema says.

    >>> check({"k": 0}, {"type": "object", "properties": {"k": {"type": "integer", "minimum": 1}}})
    Traceback (most recent call last):
    ...
    dynarc.web.schema.InvalidRequestError: k is 0, but must be 1 or more
    """
    if "enum" in schema and value not in schema["enum"]:
        allowed = ", ".join(map(str, schema["enum"]))
        raise InvalidRequestError(f"{where} is {_short(value)}, but must be one of {allowed}")
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_is(value, name) for name in types):
        wanted = " or ".join("nothing" if name == "null" else f"of type {name}" for name in types)
        raise InvalidRequestError(f"{where} is {_short(value)}, but must be {wanted}")
    if isinstance(value, str):
        _check_text(value, schema, where)
    elif isinstance(value, list):
        _check_list(value, schema, where)
    elif isinstance(value, dict):
        _check_object(value, schema, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            raise InvalidRequestError(f"{where} is {_short(value)}, but must be {schema['minimum']} or more")
        if "maximum" in schema and value > schema["maximum"]:
            raise InvalidRequestError(f"{where} is {_short(value)}, but must be {schema['maximum']} or less")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _check_text(value: str, schema: Schema, where: str) -> None:
    if len(value) < schema.get("minLength", 0):
        raise InvalidRequestError(f"{where} is empty")
    if len(value) > schema.get("maxLength", len(value)):
        raise InvalidRequestError(f"{where} has {len(value):,} characters, but may have {schema['maxLength']:,}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequestError(f"{where}: character {error.start} is half a surrogate, which no text has") from None


def _check_list(value: list[Any], schema: Schema, where: str) -> None:
    if len(value) < schema.get("minItems", 0):
        raise InvalidRequestError(f"{where} has {len(value)} items, but must have {schema['minItems']} or more")
    if len(value) > schema.get("maxItems", len(value)):
        raise InvalidRequestError(f"{where} has {len(value):,} items, but may have {schema['maxItems']:,}")
    for place, item in enumerate(value):
        check(item, schema.get("items", {}), f"{'' if where == 'the body' else where}[{place}]")


def _check_object(value: dict[str, Any], schema: Schema, where: str) -> None:
    properties = schema.get("properties", {})
    begin = "" if where == "the body" else f"{where}."
    for name in schema.get("required", ()):
        if name not in value:
            raise InvalidRequestError(f"{begin}{name} is missing")
    for name, item in value.items():
        if name in properties:
            check(item, properties[name], f"{begin}{name}")
        elif not schema.get("additionalProperties", True):
            raise InvalidRequestError(f"{begin}{_short(name)} is unknown; known are {', '.join(properties)}")


def _short(value: Any) -> str:
    text = repr(value).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 60 else f"{text[:57]}..."
