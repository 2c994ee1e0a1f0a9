package database

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// cause returns a description of why the database returned the error. Drivers repeat the cause in the texts of all
// their attempts to connect, and cause leaves these texts out. For a failed connection, it adds what the user should
// check.
func cause(err error) string {
	if e, ok := errors.AsType[stated](err); ok {
		return e.Error() + remedies[e.SQLState()[:min(2, len(e.SQLState()))]]
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return fmt.Sprintf("the host %s is unknown; check the host in the URL", quote.Name(e.Name))
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return "the server did not answer in time; check the host and the port in the URL, and whether a firewall blocks them"
	}
	e, dialled := errors.AsType[*net.OpError](err)
	errno, failed := errors.AsType[syscall.Errno](err)
	if dialled && e.Op == "dial" && failed {
		return fmt.Sprintf("%s: %v; check the host and the port in the URL, and whether the server runs", e.Addr, errno)
	}
	return first(err).Error()
}

// stated is the interface of server errors that have an SQLSTATE, the error class that the SQL standard defines.
type stated interface {
	error
	SQLState() string
}

// remedies maps the first two characters of an SQLSTATE, which identify a class of errors, to what the user should
// check.
var remedies = map[string]string{
	"28": "; check the user and the password",
	"3D": "; check the name of the database in the URL",
}

// first returns the innermost cause of an error. If the error joins several errors, it follows the first one.
func first(err error) error {
	for {
		var inner error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			inner = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				inner = all[0]
			}
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}
