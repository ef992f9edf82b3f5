// A host in Go: peer CONTROLLER...: starts the controller and talks to it over its pipes.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"

	"peer/link"
)

func main() {
	controller := exec.Command(os.Args[1], os.Args[2:]...)
	in, err := controller.StdinPipe()
	must(err)
	out, err := controller.StdoutPipe()
	must(err)
	must(controller.Start())
	ask := func(command link.Command) {
		// Cut in two, as serial lines do.
		s := command.Encode()
		_, err := in.Write(s[:3])
		must(err)
		_, err = in.Write(s[3:])
		must(err)
		if command.Order == link.ORDER_STOP {
			return
		}
		buffer := make([]byte, link.BYTES_LENGTH_REPORT)
		_, err = io.ReadFull(out, buffer)
		must(err)
		var report link.Report
		_, err = report.Decode(buffer)
		must(err)
		show(report)
	}
	for i := 0; i < 5; i++ {
		speeds := [3]int16{int16(100 * i), int16(-1000 + i), 7}
		ask(link.Command{Order: link.ORDER_DRIVE, Sequence: uint8(i), Speeds: speeds, Brakes: [3]bool{false, i == 3, false}})
	}
	ask(link.Command{Order: link.ORDER_READ, Sequence: 63, Brakes: [3]bool{true, true, true}})
	ask(link.Command{Order: link.ORDER_STOP})
	must(controller.Wait())
}

func show(report link.Report) {
	moving := "still"
	if report.Moving {
		moving = "moving"
	}
	fmt.Print(report.Sequence, " ", moving)
	for _, m := range report.Motors {
		fmt.Printf(" %s:%d:%d", m.Gear.String()[5:], m.Speed, m.Position)
	}
	fmt.Println("", report.Ticks)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
