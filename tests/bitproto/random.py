"""Plays random schemas and values on bitproto 1.3.2 and on our code: random.py FOLDER.

FOLDER has the schemas, our generated code in `our/`, and `lines`: schema, message, bytes, what is marked, bits. 1.3.2 is
not asked where the table in docs/bitproto.md says that it is wrong: it decodes no marked arrays, and its Python
raises ValueError for enums that cross a byte.
"""

import contextlib
import ctypes
import dataclasses
import importlib.util
import io
import os
import subprocess
import sys

from bitproto.parser import parse
from bitproto.renderer import render

failures = 0
counts = {"encoded": 0, "decoded": 0, "C": 0, "left out": 0}


def check(test: bool, what: str) -> None:
    global failures
    if not test:
        failures += 1
        if failures < 20:
            print("failed:", what)


def load(folder: str, stem: str, whose: str):
    spec = importlib.util.spec_from_file_location(f"{whose}_{stem}", os.path.join(folder, whose, stem + "_bp.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def library(folder: str, stem: str, whose: str):
    path = os.path.join(folder, whose, stem + ".so")
    source = os.path.join(folder, whose, stem + "_bp.c")
    subprocess.run(["gcc", "-std=gnu99", "-O1", "-w", "-shared", "-fPIC", source, "-o", path], check=True)
    return ctypes.CDLL(path)


def copy(ours, theirs) -> None:
    """Values of our object into one of 1.3.2."""
    for field in dataclasses.fields(ours):
        value = getattr(ours, field.name)
        setattr(theirs, field.name, copied(value, getattr(theirs, field.name)))


def copied(value, target):
    if dataclasses.is_dataclass(value):
        copy(value, target)
        return target
    if isinstance(value, (bytes, bytearray)):
        return bytearray(value)
    if isinstance(value, list):
        return [copied(v, t) for v, t in zip(value, target)]
    return type(target)(value)


def same(ours, theirs) -> bool:
    if dataclasses.is_dataclass(ours):
        return all(same(getattr(ours, f.name), getattr(theirs, f.name)) for f in dataclasses.fields(ours))
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return ours == theirs


def play_python(modules, name: str, data: bytes, marked: str, line: str) -> None:
    cls = name.replace(".", "_")
    ours, theirs, decoded = (getattr(m, cls)() for m in (modules[0], modules[1], modules[1]))
    check(ours.decode(data) == len(data), f"{line} used")
    check(ours.encode() == data, f"{line} our encode {ours.encode().hex()}")
    copy(ours, theirs)
    check(bytes(theirs.encode()) == data, f"{line} their encode {theirs.encode().hex()}")
    counts["encoded"] += 1
    if marked == "arrays":
        counts["left out"] += 1
        return
    try:
        decoded.decode(bytearray(data))
    except ValueError:
        counts["left out"] += 1
        return
    check(same(ours, decoded), f"{line} their decode {decoded}")
    counts["decoded"] += 1


def play_c(libraries, name: str, data: bytes, bits: int, line: str) -> None:
    counts["C"] += 1
    call = name.replace(".", "")
    ours, theirs = libraries
    # No member is larger than eight bytes for one bit.
    for reader, writer, fill in ((theirs, ours, b"\0"), (ours, theirs, b"\xff")):
        struct = ctypes.create_string_buffer(fill * (bits * 8 + 64))
        source = ctypes.create_string_buffer(data + b"\xff" * 8)
        target = ctypes.create_string_buffer(len(data) + 8)
        getattr(reader, "Decode" + call)(struct, source)
        getattr(writer, "Encode" + call)(struct, target)
        result = target.raw[: len(data)]
        check(result == data, f"{line} {'our' if writer is ours else 'their'} C {result.hex()}")


def prepare(folder: str, stem: str):
    with contextlib.redirect_stderr(io.StringIO()):
        proto = parse(os.path.join(folder, stem + ".bitproto"))
        theirs = os.path.join(folder, "ref")
        render(proto, "py", theirs)
        modules = load(folder, stem, "our"), load(folder, stem, "ref")
        libraries = None
        if comparable(folder, stem):
            render(proto, "c", theirs, optimization_mode=True)
            libraries = library(folder, stem, "our"), library(folder, stem, "ref")
    return modules, libraries


def comparable(folder: str, stem: str) -> bool:
    """Whether C with -O of 1.3.2 takes the schema and has our structs."""
    with open(os.path.join(folder, "lines")) as lines:
        return all(line.split(" ")[3] == "-" for line in lines if line.startswith(stem + " "))


def main() -> None:
    folder = sys.argv[1]
    os.makedirs(os.path.join(folder, "ref"), exist_ok=True)
    prepared: dict = {}
    with open(os.path.join(folder, "lines")) as lines:
        for line in lines:
            stem, name, data, marked, bits = line.split()
            if stem not in prepared:
                prepared[stem] = prepare(folder, stem)
            modules, libraries = prepared[stem]
            data = bytes.fromhex(data.strip("-"))
            play_python(modules, name, data, marked, line[:60])
            if libraries and data:
                play_c(libraries, name, data, int(bits), line[:60])
    print(len(prepared), "schemas,", counts, failures, "failures")


main()
