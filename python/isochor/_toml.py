"""Writes plain Python data as TOML: what scenes are made of."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ._errors import InputError


def _is_plain(key: str) -> bool:
    return bool(key) and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON lets pass.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_table_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(
        isinstance(item, Mapping) for item in value)


def _value(value: Any, key: str) -> str:
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item, key) for item in value) + "]"
    raise InputError(f"{key}: found a value of type {type(value).__name__}\n  to mend it: give a "
                     "number, a text, true or false, a list, or a dict of these")


def _write(table: Mapping[str, Any], path: str, lines: list[str]) -> None:
    nested = []
    for key, value in table.items():
        if not isinstance(key, str):
            raise InputError(f"{path or 'scene'}: found the key {key!r}\n  to mend it: keys are "
                             "texts")
        name = key if _is_plain(key) else _quoted(key)
        here = f"{path}.{name}" if path else name
        if isinstance(value, Mapping) or _is_table_list(value):
            nested.append((here, value))
        elif value is not None and not (isinstance(value, (list, tuple)) and not len(value)):
            lines.append(f"{name} = {_value(value, here)}")
    for here, value in nested:
        items = [value] if isinstance(value, Mapping) else value
        for item in items:
            lines.append("")
            lines.append(f"[{here}]" if isinstance(value, Mapping) else f"[[{here}]]")
            _write(item, here, lines)


def dumps(table: Mapping[str, Any]) -> str:
    """The table as TOML. None and empty lists are left out: both mean the default."""
    lines: list[str] = []
    _write(table, "", lines)
    return "\n".join(lines).strip("\n") + "\n"
