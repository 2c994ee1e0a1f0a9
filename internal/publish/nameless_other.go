//go:build !linux

package publish

import (
	"errors"
	"os"
)

// nameless would create a file without a name. It fails, because this operating system does not support such files.
func nameless(string, Access) (*os.File, error) { return nil, errors.ErrUnsupported }

// link would give a name to a file without one. It fails, because this operating system does not support such files.
var link = func(*os.File, string) error { return errors.ErrUnsupported }
