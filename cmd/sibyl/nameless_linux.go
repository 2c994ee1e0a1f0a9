package main

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// nameless opens a new file in the directory that has no name. Not all file systems have
// such files.
func nameless(directory string, a access) (*os.File, error) {
	f, err := os.OpenFile(directory, os.O_WRONLY|unix.O_TMPFILE, fs.FileMode(a))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(inProc(f)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// link gives a nameless file a name that is free.
func link(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, inProc(f), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: path, Err: err}
	}
	return nil
}

func inProc(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }
