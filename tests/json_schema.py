"""The part of JSON Schema (draft 7) that these tests use. A keyword that it does not know is refused."""

import re
from collections.abc import Iterator
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KNOWN = {
    *(
        "$schema",
        "$ref",
        "$defs",
        "title",
        "description",
        "default",
        "type",
        "enum",
        "required",
        "properties",
    ),
    *(
        "anyOf",
        "additionalProperties",
        "items",
        "minItems",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "pattern",
    ),
}


def faults(value: object, schema: dict[str, Any], root: dict[str, Any] | None = None) -> list[str]:
    """What of the value the schema forbids, each as "place: what"; [] if it is valid."""
    return list(_faults(value, schema, root or schema, "$"))


def _faults(value: object, schema: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    if strange := set(schema) - _KNOWN:
        raise NotImplementedError(f"{at}: {strange}")
    if "$ref" in schema:
        yield from _faults(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
        return
    if "anyOf" in schema and all([*_faults(value, one, root, at)] for one in schema["anyOf"]):
        yield f"{at}: {value!r} is nothing of what it may be"
    wanted = schema.get("type")
    if wanted is not None and not _is(value, wanted):
        yield f"{at}: {value!r} is no {wanted}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not one of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match"
    if isinstance(value, int | float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and value > schema.get("exclusiveMinimum", value - 1)
    ):
        yield f"{at}: {value!r} is too small or too large"
    if isinstance(value, list):
        yield from _in_list(value, schema, root, at)
    if isinstance(value, dict):
        yield from _in_object(value, schema, root, at)


def _is(value: object, wanted: str) -> bool:
    return isinstance(value, _TYPES[wanted]) and (wanted == "boolean" or not isinstance(value, bool))


def _in_list(value: list[Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{at}: too few"
    for number, item in enumerate(value):
        yield from _faults(item, schema.get("items", {}), root, f"{at}[{number}]")


def _in_object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    yield from (f"{at}: {key} is missing" for key in schema.get("required", ()) if key not in value)
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in properties:
            yield from _faults(item, properties[key], root, f"{at}.{key}")
        elif rest is False:
            yield f"{at}: {key} is not known"
        elif rest is not True:
            yield from _faults(item, rest, root, f"{at}.{key}")
