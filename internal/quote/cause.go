package quote

import (
	"errors"
	"io/fs"
	"os"
)

// Cause returns the cause of an error of the file system, without the operation and the paths of files, which may be
// untrusted. It returns any other error unchanged.
func Cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
