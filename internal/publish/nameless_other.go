//go:build !linux

package publish

import (
	"errors"
	"os"
)

// nameless returns an error, because this operating system does not support files without a name.
func nameless(string, Access) (*os.File, error) { return nil, errors.ErrUnsupported }

// link returns an error, because this operating system does not support files without a name.
var link = func(*os.File, string) error { return errors.ErrUnsupported }
