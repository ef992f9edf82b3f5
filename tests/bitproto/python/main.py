"""Plays the lines of tests/bitproto/c/main.c on generated modules: main.py FOLDER LINES NAMES."""

import importlib
import json
import sys

failures = 0


def check(test: bool, what: str) -> None:
    global failures
    if not test:
        failures += 1
        if failures < 20:
            print("failed:", what)


def refused(message, data: bytes) -> bool:
    try:
        message.decode(data)
    except ValueError:
        return True
    return False


def play(line: str, kept: dict) -> None:
    schema, name, data, used, expected, text = line.rstrip("\n").split(" ", 5)
    data = bytes.fromhex(data.strip("-"))
    expected = bytes.fromhex(expected.strip("-"))
    kind = getattr(importlib.import_module(schema + "_bp"), name.replace(".", "_"))
    # One object for all lines, so that decoding has to set everything; and a fresh one.
    for message in (kept.setdefault(kind, kind()), kind()):
        if used in ("-1", "-2"):
            check(refused(message, data), f"{line[:60]} short input is refused")
            continue
        check(message.decode(data) == int(used), f"{line[:60]} used")
        check(message.encode() == expected, f"{line[:60]} {message.encode().hex()}")
        if text != "-":
            check(message.to_json(separators=(",", ":")) == text, f"{line[:60]} json")
    if int(used) > 0:
        for size in {int(used) - 1, int(used) // 2, 0}:
            check(refused(kind(), data[:size]), f"{line[:60]} cut to {size}")
    if used not in ("-1", "-2"):
        message = kind()
        used_again = message.decode(memoryview(data + b"\xff"))
        check(used_again == int(used) and message == kept[kind], f"{line[:60]} longer input")


def names(table: dict) -> None:
    for schema, languages in table.items():
        try:
            module = importlib.import_module(schema.replace(".bitproto", "_bp"))
        except ModuleNotFoundError:
            continue
        for what, path, name in languages.get("py", []):
            if what in ("constant", "alias", "enum", "enum value", "message"):
                check(hasattr(module, name), f"{schema} {what} {name}")
            elif what == "field":
                owner = getattr(module, path.rsplit(".", 1)[0].replace(".", "_"))
                check(name in owner.__dataclass_fields__, f"{schema} {path}")


def main() -> None:
    folder, lines, table = sys.argv[1:]
    sys.path.insert(0, folder)
    kept: dict = {}
    count = 0
    with open(lines) as file:
        for line in file:
            play(line, kept)
            count += 1
    with open(table) as file:
        names(json.load(file))
    print(f"{count} lines, {failures} failures")


main()
