// Races generated Go on the same messages; see ../c/race.c for what is printed. `table.go` makes the contestants.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

const messages = 16

// racer encodes and decodes message number i.
type racer struct {
	name   string
	encode func(i int) []byte
	decode func(i int, s []byte)
}

func random(length int) [][]byte {
	state := uint64(1)
	all := make([][]byte, messages)
	for i := range all {
		all[i] = make([]byte, length)
		for k := range all[i] {
			state = state*6364136223846793005 + 1442695040888963407
			all[i][k] = byte(state >> 56)
		}
	}
	return all
}

var sink byte

// now is the processor's time that this process had, in nanoseconds, whatever others did meanwhile.
func now() int64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func race(name string, length int, racers []racer, repetitions, calls int) {
	all := random(length)
	for i, s := range all {
		racers[0].decode(i, s)
		copy(s, racers[0].encode(i))
		for _, r := range racers {
			r.decode(i, s)
			if !bytes.Equal(r.encode(i), s) {
				fmt.Fprintln(os.Stderr, r.name, "encodes otherwise than", racers[0].name)
				os.Exit(1)
			}
		}
	}
	for n := -2; n < repetitions; n++ {
		for k := range racers {
			r := racers[(n+2+k)%len(racers)]
			start := now()
			for i := 0; i < calls; i++ {
				sink += r.encode(i % messages)[0]
			}
			middle := now()
			for i := 0; i < calls; i++ {
				r.decode(i%messages, all[i%messages])
			}
			end := now()
			if n >= 0 {
				fmt.Printf("%s/encode %s %.4f\n", name, r.name, float64(middle-start)/float64(calls))
				fmt.Printf("%s/decode %s %.4f\n", name, r.name, float64(end-middle)/float64(calls))
			}
		}
	}
}

func main() {
	repetitions, _ := strconv.Atoi(os.Args[1])
	calls, _ := strconv.Atoi(os.Args[2])
	races(repetitions, calls)
}
