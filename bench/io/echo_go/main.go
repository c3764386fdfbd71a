// SPDX-License-Identifier: BSD-3-Clause
// An echo server over Go's net package: a goroutine for each connection. Go sets TCP_NODELAY
// itself, and listens with the longest backlog that the system allows.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"runtime"
)

const bufferBytes = 4096

func must(bad error) {
	if bad != nil {
		fmt.Fprintln(os.Stderr, bad)
		os.Exit(1)
	}
}

func serve(peer net.Conn) {
	defer peer.Close()
	buffer := make([]byte, bufferBytes)
	for {
		got, bad := peer.Read(buffer)
		if bad != nil {
			return
		}
		if _, bad = peer.Write(buffer[:got]); bad != nil {
			return
		}
	}
}

func main() {
	port := flag.Int("port", 0, "where to listen; 0: any, which is printed")
	threads := flag.Int("threads", 2, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*threads)
	listener, bad := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	must(bad)
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	for {
		peer, bad := listener.Accept()
		must(bad)
		go serve(peer)
	}
}
