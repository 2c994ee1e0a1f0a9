package main

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A scratch is a file that has not got its name yet. Where the system can it has none at
// all, so that even a kill leaves nothing of it.
type scratch struct {
	file      *os.File
	temporary string // its name until then, empty for none
	access    access
}

// newScratch makes a scratch beside the path that it is for.
func newScratch(path string, a access) (*scratch, error) {
	if f, err := nameless(filepath.Dir(path), a); err == nil {
		return &scratch{file: f, access: a}, nil
	}
	return newNamed(path, a)
}

// newNamed makes one with a name.
func newNamed(path string, a access) (*scratch, error) {
	s := &scratch{temporary: hidden(path), access: a}
	var err error
	s.file, err = os.OpenFile(s.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(a))
	return s, err
}

// hidden returns a name beside the path that nothing else has.
func hidden(path string) string {
	directory, name := filepath.Split(path)
	return filepath.Join(directory, "."+name+"."+rand.Text()+".tmp")
}

// settle has the file on the disk, ready for its name.
func (s *scratch) settle() error {
	if err := toDisk(s.file); err != nil {
		return err
	}
	if s.temporary == "" {
		return nil // it lasts while it is open
	}
	return s.file.Close()
}

// take gives the file a name that is free, or fails with fs.ErrExist. A file system
// without hard links shows an empty file for a moment.
func (s *scratch) take(path string) error {
	if s.temporary == "" {
		return link(s.file, path)
	}
	err := os.Link(s.temporary, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	mark, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(s.access))
	if err != nil {
		return err
	}
	mark.Close()
	if err := s.replace(path); err != nil {
		os.Remove(path)
		return err
	}
	return nil
}

// replace gives the file the name of another, which is gone then.
func (s *scratch) replace(path string) error {
	if s.temporary == "" {
		name := hidden(path)
		if err := link(s.file, name); err != nil {
			return err
		}
		s.temporary = name
	}
	err := os.Rename(s.temporary, path)
	if err != nil {
		os.Remove(s.temporary)
	}
	return err
}
