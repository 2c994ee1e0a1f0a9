//go:build !linux

package publish

import (
	"errors"
	"os"
)

// nameless is not supported on this system.
func nameless(string, Access) (*os.File, error) { return nil, errors.ErrUnsupported }

// link is not supported on this system.
var link = func(*os.File, string) error { return errors.ErrUnsupported }
