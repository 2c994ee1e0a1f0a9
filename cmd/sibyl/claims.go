package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/source"
)

// No command writes to a file that it reads, nor two things to one file. A file has many
// names (links, /dev/fd/3, a redirection, another case), so it is known by device and
// inode, and all files of a command are compared before any of them is written.

// claims are the files that a command reads or writes.
type claims struct{ all []*claim }

// A claim is one of them.
type claim struct {
	name  string      // in messages
	path  string      // empty for a stream
	info  fs.FileInfo // nil while there is no such file
	write bool
}

// claimInputs claims the standard output and error for writing, and for reading the data,
// which may be nil, and the files at the paths.
func claimInputs(cmd *cobra.Command, data *dataFlags, paths ...string) (*claims, error) {
	c := &claims{}
	all := []*claim{claimStream("standard error", cmd.ErrOrStderr(), true), claimStream("standard output", cmd.OutOrStdout(), true)}
	if data != nil {
		if data.location == "-" {
			all = append(all, claimStream("standard input", cmd.InOrStdin(), false))
		}
		paths = append(paths, source.Files(data.location)...)
	}
	for _, path := range paths {
		all = append(all, &claim{name: source.FileName(path), path: path})
	}
	for _, k := range all {
		if k == nil {
			continue
		}
		if err := c.add(k); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// claimStream returns the claim of a stream, nil where it is none of the system's.
func claimStream(name string, s any, write bool) *claim {
	file, ok := s.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	return &claim{name: name, info: info, write: write}
}

// writes claims the file at a path for writing.
func (c *claims) writes(path string) (*claim, error) {
	k := &claim{name: source.FileName(path), path: path, write: true}
	return k, c.add(k)
}

func (c *claims) add(k *claim) error {
	k.look()
	if err := c.compare(k); err != nil {
		return err
	}
	c.all = append(c.all, k)
	return nil
}

// opened tells which file the path led to. Files that were not there may be now, under
// another name.
func (c *claims) opened(k *claim, info fs.FileInfo) error {
	k.info = info
	for _, other := range c.all {
		other.look()
	}
	return c.compare(k)
}

// compare reports a file that is claimed already.
func (c *claims) compare(k *claim) error {
	for _, other := range c.all {
		reads, streams := !k.write && !other.write, k.stream() && other.stream()
		if other == k || reads || streams || !k.same(other) {
			continue
		}
		if !k.write {
			k, other = other, k
		}
		if other.write {
			return shared{k, fmt.Sprintf("%s: something else is written to this file; name another one", k.name)}
		}
		return shared{k, fmt.Sprintf("%s: this file is an input, and would be lost; name another one", k.name)}
	}
	return nil
}

// A shared error reports a file that would be written although it has another use.
type shared struct {
	claim *claim
	text  string
}

func (s shared) Error() string { return s.text }

// silent tells that even the error must not be written.
func (s shared) silent(stderr io.Writer) bool {
	k := claimStream("", stderr, true)
	return k != nil && s.claim.same(k)
}

// stream tells the standard output and error, which may be one file.
func (k *claim) stream() bool { return k.path == "" && k.write }

// look looks for the file, until it is there.
func (k *claim) look() {
	if k.info == nil {
		if info, err := os.Stat(k.path); err == nil {
			k.info = info
		}
	}
}

// same tells whether two claims are of one file. Devices and pipes hold nothing that
// could be lost.
func (k *claim) same(other *claim) bool {
	switch {
	case k.info != nil && other.info != nil:
		return k.info.Mode()&(fs.ModeCharDevice|fs.ModeNamedPipe|fs.ModeSocket) == 0 && os.SameFile(k.info, other.info)
	case k.info != nil || other.info != nil:
		return false
	}
	if !strings.EqualFold(filepath.Base(k.path), filepath.Base(other.path)) {
		return false
	}
	one, err := os.Stat(filepath.Dir(k.path))
	if err != nil {
		return false
	}
	two, err := os.Stat(filepath.Dir(other.path))
	return err == nil && os.SameFile(one, two)
}
