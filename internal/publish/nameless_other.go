//go:build !linux

package publish

import (
	"errors"
	"os"
)

// nameless fails: files have names here.
func nameless(string, Access) (*os.File, error) { return nil, errors.ErrUnsupported }

// link fails too.
var link = func(*os.File, string) error { return errors.ErrUnsupported }
