package pages

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mention matches paths of pages in code and comments.
var mention = regexp.MustCompile(`docs/[\w/-]+\.md`)

// TestLinks checks that every relative link of every page, and every page that code or comments
// mention, exists.
func TestLinks(t *testing.T) {
	c := newChecker(filepath.Join("..", "..", ".."))
	links, mentions := 0, 0
	err := fs.WalkDir(os.DirFS(c.root), ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name != "." && strings.HasPrefix(name, ".") || name == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(at); ext != ".md" && ext != ".go" && ext != ".toml" || at == "internal/testing/pages/papers_test.go" { // its examples are deliberately wrong
			return nil
		}
		text, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(at)))
		if err != nil {
			return err
		}
		for _, m := range mention.FindAllString(string(text), -1) {
			mentions++
			if _, err := os.Stat(filepath.Join(c.root, filepath.FromSlash(m))); err != nil {
				t.Errorf("%s mentions %s, which does not exist", at, m)
			}
		}
		if path.Ext(at) != ".md" {
			return nil
		}
		fenced := false
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, ""), -1) {
				links++
				to := m[1]
				if strings.HasPrefix(to, "#") {
					to = path.Base(at) + to
				}
				if err := c.link(path.Dir(at), to); err != nil {
					t.Errorf("%s:%d: %v", at, i+1, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 300 || mentions < 100 {
		t.Errorf("%d links and %d mentions were looked at", links, mentions)
	}
}

// TestReadmeIsShort limits the length of README.md.
func TestReadmeIsShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, more than 150", n)
	}
}
