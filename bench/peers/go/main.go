// SPDX-License-Identifier: BSD-3-Clause
// The driver of `lazult bench peers` for Go. Its command line is that of bench/driver.h.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

type benchCase struct {
	name, operation string
	rounds          int64
	run             func(rounds int64) float64
}

var inexact bool
var one, three = 1.0, 3.0

// A division that is not exact sets the flag of the goroutine that makes it.
func begin(first bool) {
	if first && inexact {
		one = one / three * three
	}
}

func check(good bool, what string) {
	if !good {
		fmt.Fprintln(os.Stderr, "the result is wrong:", what)
		os.Exit(1)
	}
}

func parse(words []string) (repetitions int, divisor int64) {
	repetitions, divisor = 5, 1
	for _, word := range words {
		if word == "--quick" {
			divisor = 100
		} else if word == "--inexact" {
			inexact = true
		} else if n, bad := strconv.Atoi(word); bad == nil && n > 0 {
			repetitions = n
		} else {
			fail("usage: go CASE [REPETITIONS] [--quick] [--inexact] | --list")
		}
	}
	return
}

func measure(c benchCase, repetitions int, divisor int64) {
	rounds := c.rounds / divisor
	if rounds == 0 {
		rounds = 1
	}
	for i := -1; i < repetitions; i++ {
		begun := time.Now()
		operations := c.run(rounds)
		if i >= 0 {
			fmt.Printf("%.3f\n", float64(time.Since(begun).Nanoseconds())/operations)
		}
	}
}

func list() {
	for _, c := range cases {
		fmt.Printf("%s\t%s\n", c.name, c.operation)
	}
}

func main() {
	runtime.GOMAXPROCS(2)
	if len(os.Args) < 2 {
		fail("usage: go CASE [REPETITIONS] [--quick] [--inexact] | --list")
	}
	if os.Args[1] == "--list" {
		list()
		return
	}
	repetitions, divisor := parse(os.Args[2:])
	for _, c := range cases {
		if c.name == os.Args[1] {
			measure(c, repetitions, divisor)
			return
		}
	}
	fail("there is no case " + os.Args[1])
}

func fail(words string) {
	fmt.Fprintln(os.Stderr, words)
	os.Exit(2)
}
