package publish

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/source"
)

// A run must not write to a file that it reads, and must not write two outputs to one file. A file can have many
// names (links, /dev/fd/3, a redirection, upper and lower case), so files are identified by device and inode. All
// files of a run are compared before the run writes any of them.

// Claims record which files a run of a command reads and writes, to prevent it from overwriting its own inputs. The
// zero value records no files.
type Claims struct{ all []*Claim }

// A Claim records one use of a file by a run of a command: reading or writing.
type Claim struct {
	name  string      // the name of the file in messages
	path  string      // empty for a stream
	info  fs.FileInfo // nil until the file exists
	write bool
}

// Reads records that the run reads the file at a path. It returns a Shared error if the run also writes this file.
func (c *Claims) Reads(path string) error {
	return c.add(&Claim{name: source.FileName(path), path: path})
}

// Stream records that the run uses a stream, such as standard output: for writing if write is true, and otherwise for
// reading. It does nothing if the stream is not a file of the operating system. The parameter name is the name of the
// stream in messages.
func (c *Claims) Stream(name string, s any, write bool) error {
	if k := claimStream(name, s, write); k != nil {
		return c.add(k)
	}
	return nil
}

// claimStream returns the claim for a stream, or nil if the stream is not a file of the operating system.
func claimStream(name string, s any, write bool) *Claim {
	file, ok := s.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	return &Claim{name: name, info: info, write: write}
}

// Writes records that the run writes the file at a path. It returns a Shared error if the run also uses this file for
// another purpose.
func (c *Claims) Writes(path string) (*Claim, error) {
	k := &Claim{name: source.FileName(path), path: path, write: true}
	return k, c.add(k)
}

func (c *Claims) add(k *Claim) error {
	k.look()
	if err := c.compare(k); err != nil {
		return err
	}
	c.all = append(c.all, k)
	return nil
}

// Opened records that the file of the claim k has been opened. The parameter info describes the open file, which is
// then compared with the other claims. Opening the file may have created the file of another claim, if both paths
// lead to the same file, so Opened first looks again for the files that did not exist earlier.
func (c *Claims) Opened(k *Claim, info fs.FileInfo) error {
	k.info = info
	for _, other := range c.all {
		other.look()
	}
	return c.compare(k)
}

// compare returns a Shared error if another claim is for the same file as k, and one of the two is for writing.
// Standard output and standard error may be the same file.
func (c *Claims) compare(k *Claim) error {
	for _, other := range c.all {
		reads, streams := !k.write && !other.write, k.stream() && other.stream()
		if other == k || reads || streams || !k.same(other) {
			continue
		}
		if !k.write {
			k, other = other, k
		}
		if other.write {
			return Shared{k, fmt.Sprintf("%s: the command already writes something else to this file; name another file", k.name)}
		}
		return Shared{k, fmt.Sprintf("%s: the file is an input of this command and would be overwritten; name another file", k.name)}
	}
	return nil
}

// A Shared error is returned if a run would write a file that it also uses for another purpose.
type Shared struct {
	claim *Claim
	text  string
}

func (s Shared) Error() string { return s.text }

// Silent reports whether the shared file is stderr, so that not even this error may be printed there.
func (s Shared) Silent(stderr io.Writer) bool {
	k := claimStream("", stderr, true)
	return k != nil && s.claim.same(k)
}

// stream reports whether the claim is for writing to standard output or standard error, rather than to a file at a
// path.
func (k *Claim) stream() bool { return k.path == "" && k.write }

// look looks for the file to which the path of the claim leads, unless it has been found before.
func (k *Claim) look() {
	if k.info == nil {
		if info, err := os.Stat(k.path); err == nil {
			k.info = info
		}
	}
}

// same reports whether two claims are for the same file. It returns false for devices and pipes, because they contain
// nothing that could be overwritten.
func (k *Claim) same(other *Claim) bool {
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

// Name returns the name of the claim's file for messages.
func (k *Claim) Name() string { return k.name }

// Exists reports whether the file of the claim existed when the claims were last compared.
func (k *Claim) Exists() bool { return k.info != nil }
