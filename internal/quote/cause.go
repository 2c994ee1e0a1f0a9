package quote

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the cause of a file system error, without the operation and the paths, which may be untrusted. It
// returns any other error unchanged.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
