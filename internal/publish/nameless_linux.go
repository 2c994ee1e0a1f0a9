package publish

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// nameless creates a file without a name in a directory. Not all file systems support such files.
func nameless(directory string, a Access) (*os.File, error) {
	return os.OpenFile(directory, os.O_RDWR|unix.O_TMPFILE, fs.FileMode(a))
}

// link gives a nameless file the name path, which no other file may have. Not all systems support this. It is
// a variable so that tests can replace it.
var link = func(f *os.File, path string) error {
	open := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	err := unix.Linkat(unix.AT_FDCWD, open, unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: open, New: path, Err: err}
	}
	return nil
}
