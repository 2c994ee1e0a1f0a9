package publish

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A scratch is a file for unpublished content, which does not have its final name yet. If the system supports it,
// the file has no name at all, so that it disappears even if the process is killed.
type scratch struct {
	file      *os.File
	temporary string // the temporary name, or ""
	process   *Unfinished
	access    Access
}

// newScratch creates a file for unpublished content, in the directory of the path under which the content will be
// published.
func newScratch(u *Unfinished, path string, a Access) (*scratch, error) {
	if f, err := nameless(filepath.Dir(path), a); err == nil {
		return &scratch{file: f, access: a, process: u}, nil
	}
	return newNamed(u, path, a)
}

// newNamed creates a file for unpublished content that has a temporary name.
func newNamed(u *Unfinished, path string, a Access) (*scratch, error) {
	s := &scratch{temporary: hidden(path), access: a, process: u}
	var err error
	s.file, err = os.OpenFile(s.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(a))
	return s, err
}

// hidden returns the path of a random hidden name in the directory of the given path.
func hidden(path string) string {
	directory, name := filepath.Split(path)
	return filepath.Join(directory, "."+name+"."+rand.Text()+".tmp")
}

// settle flushes the file to the disk, and closes it if it has a temporary name.
func (s *scratch) settle() error {
	if err := s.process.toDisk(s.file); err != nil {
		return err
	}
	if s.temporary == "" {
		return nil // a nameless file exists only while it is open
	}
	return s.file.Close()
}

// take gives the file the name path, or returns fs.ErrExist if another file has this name. On a file system
// without hard links, an empty file with this name exists for a moment.
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

// replace gives the file the name path, and thereby replaces the file that has this name.
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

// copy copies the content of a nameless file to a new file with a temporary name, which replaces it. This is used
// if the system cannot give a name to a nameless file.
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
