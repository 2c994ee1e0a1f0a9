package web

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// listen listens at an address of the loopback interface. The host must be an IP address or localhost, which
// stands for 127.0.0.1.
func listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if n, failed := strconv.ParseUint(port, 10, 16); err != nil || failed != nil || strconv.FormatUint(n, 10) != port {
		return nil, parameter.Errorf("{listen} %s must be an address and a port from 0 to 65535, such as 127.0.0.1:8484; port 0 stands for any free port", quote.Word(address))
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, parameter.Errorf("{listen} %s must be an address of this machine alone, such as 127.0.0.1:8484; to reach the server from another machine, use ssh -L, or a reverse proxy with its own authentication", quote.Word(address))
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err == nil {
		return l, nil
	}
	why := "this address is not available"
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		why = "another program uses this port; name another port, or 0 for any free port"
	case errors.Is(err, syscall.EACCES):
		why = "this port needs rights of an administrator; name a port from 1024 on, or 0 for any free port"
	}
	return nil, parameter.Errorf("{listen} %s: %s", quote.Word(address), parameter.Text(why))
}
