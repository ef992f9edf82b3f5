"""Races generated Python on the same messages; see ../c/race.c for what is printed.

Arguments: folder of the peer's modules, folder of ours, repetitions, calls, then MODULE:TYPE for each case.
"""

import dataclasses
import enum
import importlib.util
import random
import sys
import time


def load(folder, name, label):
    spec = importlib.util.spec_from_file_location(f"{label}_{name}", f"{folder}/{name}_bp.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def clear_enums(module, m):
    """Sets enums to 0: the peer cannot decode numbers that have no name, nor names that cross a byte."""
    enums = [n for n, v in vars(module).items() if isinstance(v, type) and issubclass(v, enum.IntEnum)]
    for field in dataclasses.fields(m):
        value = getattr(m, field.name)
        if dataclasses.is_dataclass(value):
            clear_enums(module, value)
        elif isinstance(value, list) and value and dataclasses.is_dataclass(value[0]):
            for item in value:
                clear_enums(module, item)
        elif any(name in str(field.type) for name in enums):
            setattr(m, field.name, 0)


def race(case, peer, own, kind, repetitions, calls):
    make = {"peer": getattr(peer, kind), "own": getattr(own, kind)}
    generator = random.Random(1)
    texts = []
    for _ in range(16):
        m = make["own"]()
        m.decode(bytearray(generator.randbytes(make["own"].BYTES_LENGTH)))
        clear_enums(own, m)
        texts.append(bytearray(m.encode()))
    objects = {}
    for name, type_ in make.items():
        objects[name] = [type_() for _ in texts]
        for m, s in zip(objects[name], texts):
            m.decode(s)
            if bytes(m.encode()) != bytes(s):
                sys.exit(f"{name} encodes {case} otherwise")
    for n in range(-1, repetitions):
        for name in ("peer", "own") if n % 2 else ("own", "peer"):
            # The slow one gets fewer calls.
            count = calls if name == "peer" else calls * 20
            start = time.process_time_ns()
            for i in range(count):
                objects[name][i % 16].encode()
            middle = time.process_time_ns()
            for i in range(count):
                make[name]().decode(texts[i % 16])
            end = time.process_time_ns()
            if n >= 0:
                print(f"{case}/encode {name} {(middle - start) / count:.1f}")
                print(f"{case}/decode {name} {(end - middle) / count:.1f}")


def main():
    peer_folder, own_folder, repetitions, calls = sys.argv[1:5]
    for case in sys.argv[5:]:
        module, kind = case.split(":")
        peer, own = load(peer_folder, module, "peer"), load(own_folder, module, "own")
        race(module, peer, own, kind, int(repetitions), int(calls))


main()
