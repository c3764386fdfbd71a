// SPDX-License-Identifier: BSD-3-Clause
// The cases of Go.
package main

import "sync"

// Runs one goroutine for each number below n, and waits for them.
func together(n int, body func(i int)) {
	var all sync.WaitGroup
	all.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			body(i)
			all.Done()
		}(i)
	}
	all.Wait()
}

func mutexTwoStreams(times int64) float64 {
	var lock sync.Mutex
	var guarded int64
	together(2, func(i int) {
		begin(i == 0)
		for n := int64(0); n < times; n++ {
			lock.Lock()
			guarded++
			lock.Unlock()
		}
	})
	check(guarded == 2*times, "what the mutex guards")
	return float64(guarded)
}

func conditionTwoStreams(times int64) float64 {
	var lock sync.Mutex
	changed := sync.NewCond(&lock)
	turn := 0
	together(2, func(me int) {
		begin(me == 0)
		for n := int64(0); n < times; n++ {
			lock.Lock()
			for turn != me {
				changed.Wait()
			}
			turn = 1 - me
			changed.Signal()
			lock.Unlock()
		}
	})
	check(turn == 0, "whose turn it is")
	return float64(times)
}

func transfers(capacity int) func(times int64) float64 {
	return func(times int64) float64 {
		channel := make(chan int64, capacity)
		var sum int64
		together(2, func(i int) {
			begin(i == 0)
			if i == 0 {
				for n := int64(1); n <= times; n++ {
					channel <- n
				}
				close(channel)
				return
			}
			for n := range channel {
				sum += n
			}
		})
		check(sum == times*(times+1)/2, "what came through the channel")
		return float64(times)
	}
}

const accounts, tellers = 10, 1000

func bank(times int64) float64 {
	var accountsOf [accounts]struct {
		lock    sync.Mutex
		balance int64
	}
	together(tellers, func(i int) {
		begin(i == 0)
		random := uint32(i + 1)
		for n := int64(0); n < times; n++ {
			random = random*1664525 + 1013904223
			from := (random >> 8) % accounts
			to := (from + 1 + (random>>20)%(accounts-1)) % accounts
			low, high := &accountsOf[from], &accountsOf[to]
			if to < from {
				low, high = high, low
			}
			low.lock.Lock()
			high.lock.Lock()
			accountsOf[from].balance--
			accountsOf[to].balance++
			high.lock.Unlock()
			low.lock.Unlock()
		}
	})
	var sum int64
	for i := range accountsOf {
		sum += accountsOf[i].balance
	}
	check(sum == 0, "the sum of all accounts")
	return float64(tellers) * float64(times)
}

var cases = []benchCase{
	{"mutex-two-streams", "lock and unlock, of 2 goroutines", 300000, mutexTwoStreams},
	{"condition-two-streams", "round trip of 2 goroutines", 20000, conditionTwoStreams},
	{"channel-10", "an element through a channel of 10", 300000, transfers(10)},
	{"channel-1000", "an element through a channel of 1,000", 300000, transfers(1000)},
	{"bank", "transfer between 2 of 10 accounts, of 1,000 goroutines", 200, bank},
}
