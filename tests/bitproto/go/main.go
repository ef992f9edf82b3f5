// Plays the lines of tests/bitproto/c/main.c on generated packages.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

type message interface {
	Encode() []byte
	AppendTo([]byte) []byte
	EncodeTo([]byte) (int, error)
	Decode([]byte) (int, error)
	String() string
}

var failures int

func check(ok bool, what string, line string) {
	if !ok {
		failures++
		if failures < 20 {
			fmt.Printf("failed: %s: %.70s\n", what, line)
		}
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<22)
	count := 0
	kept := map[string]message{}
	for scanner.Scan() {
		line := scanner.Text()
		f := strings.SplitN(line, " ", 6)
		data, _ := hex.DecodeString(strings.Trim(f[2], "-"))
		want := strings.Trim(f[4], "-")
		// One object for all lines, so that decoding has to set everything.
		m := kept[f[0]+" "+f[1]]
		if m == nil {
			m = create(f[0] + " " + f[1])
			kept[f[0]+" "+f[1]] = m
		}
		used, err := m.Decode(data)
		count++
		if f[3] == "-1" || f[3] == "-2" {
			check(err != nil, "short input is refused", line)
			continue
		}
		check(err == nil && fmt.Sprint(used) == f[3], "used", line)
		check(hex.EncodeToString(m.Encode()) == want, "encode "+hex.EncodeToString(m.Encode()), line)
		check(hex.EncodeToString(m.AppendTo([]byte{7})) == "07"+want, "append", line)
		if f[5] != "-" {
			check(m.String() == f[5], "json "+m.String(), line)
		}
		if used > 0 {
			_, err = m.EncodeTo(make([]byte, len(want)/2-1))
			check(err != nil, "small buffer", line)
			_, err = m.Decode(data[:used-1])
			check(err != nil, "cut input is refused", line)
		}
	}
	fmt.Printf("%d lines, %d failures\n", count, failures)
}
