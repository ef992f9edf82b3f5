"""A host in Python: peer.py CONTROLLER...: starts the controller and talks to it over its pipes."""

import subprocess
import sys

from link_bp import Command, Gear, Order, Report

controller = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert controller.stdin and controller.stdout


def ask(order: Order, sequence: int, speeds: list[int], brakes: list[bool]) -> None:
    assert controller.stdin and controller.stdout
    command = Command(order=order, sequence=sequence, speeds=speeds, brakes=brakes)
    controller.stdin.write(command.encode())
    controller.stdin.flush()
    if order == Order.ORDER_STOP:
        return
    report = Report()
    report.decode(controller.stdout.read(Report.BYTES_LENGTH))
    motors = " ".join(f"{Gear(m.gear).name[5:]}:{m.speed}:{m.position}" for m in report.motors)
    print(f"{report.sequence} {'moving' if report.moving else 'still'} {motors} {report.ticks}")


for i in range(5):
    ask(Order.ORDER_DRIVE, i, [100 * i, -1000 + i, 7], [False, i == 3, False])
ask(Order.ORDER_READ, 63, [0, 0, 0], [True, True, True])
ask(Order.ORDER_STOP, 0, [0, 0, 0], [False, False, False])
sys.exit(controller.wait())
