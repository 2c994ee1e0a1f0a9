package publish

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A scratch is a file that has not got its name yet. Where the system can it has none at
// all, so that even a kill leaves nothing of it.
type scratch struct {
	file      *os.File
	temporary string // its name until then, empty for none
	process   *Unfinished
	access    Access
}

// newScratch makes a scratch beside the path that it is for.
func newScratch(u *Unfinished, path string, a Access) (*scratch, error) {
	if f, err := nameless(filepath.Dir(path), a); err == nil {
		return &scratch{file: f, access: a, process: u}, nil
	}
	return newNamed(u, path, a)
}

// newNamed makes one with a name.
func newNamed(u *Unfinished, path string, a Access) (*scratch, error) {
	s := &scratch{temporary: hidden(path), access: a, process: u}
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
	if err := s.process.toDisk(s.file); err != nil {
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
		if err := link(s.file, path); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := s.copy(path); err != nil {
			return err
		}
	}
	err := os.Link(s.temporary, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		os.Remove(s.temporary)
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
	if name := hidden(path); s.temporary == "" && link(s.file, name) == nil {
		s.temporary = name
	} else if s.temporary == "" {
		if err := s.copy(path); err != nil {
			return err
		}
	}
	err := os.Rename(s.temporary, path)
	if err != nil {
		os.Remove(s.temporary)
	}
	return err
}

// copy makes a nameless file, where the system cannot name it, one that has a name.
func (s *scratch) copy(path string) error {
	named, err := newNamed(s.process, path, s.access)
	if err != nil {
		return err
	}
	if _, err = s.file.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(named.file, s.file)
	}
	if err == nil {
		err = named.settle()
	}
	if err != nil {
		named.file.Close()
		os.Remove(named.temporary)
		return err
	}
	s.file.Close()
	*s = *named
	return nil
}
