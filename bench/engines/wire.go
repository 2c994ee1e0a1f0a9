package main

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
)

// A wire is a proxy in front of a server. It counts the bytes that the server sends.
type wire struct {
	sent atomic.Int64
	port int
}

// wireTo starts a proxy to the server that a URL names. It returns the proxy, and the URL with the address of the
// proxy in place of the server's.
func wireTo(location string) (*wire, string, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	w, server := &wire{port: listener.Addr().(*net.TCPAddr).Port}, u.Host
	u.Host = listener.Addr().String()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go w.join(near, server)
		}
	}()
	return w, u.String(), nil
}

func (w *wire) join(near net.Conn, server string) {
	far, err := net.Dial("tcp", server)
	if err != nil {
		near.Close()
		return
	}
	go func() { io.Copy(far, near); far.Close() }()
	io.Copy(near, io.TeeReader(far, w))
	near.Close()
}

// Write adds the length of b to the number of bytes that the server has sent through the proxy.
func (w *wire) Write(b []byte) (int, error) {
	w.sent.Add(int64(len(b)))
	return len(b), nil
}

// reset returns the number of bytes that were sent since the previous call of reset.
func (w *wire) reset() int64 { return w.sent.Swap(0) }
