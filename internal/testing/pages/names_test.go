package pages

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// named matches names of code in pages, such as `UpperOf` and `class.UpperOf`.
var named = regexp.MustCompile("`(?:[a-z]+\\.)*([A-Za-z]+)`")

// isMixed reports whether a word has a capital letter after a small one, as names of code do and words do not.
func isMixed(word string) bool {
	small := false
	for _, r := range word {
		if small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// TestNames checks that the code contains every name of mixed letters that a page of explanations or of the papers
// mentions.
func TestNames(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	words, pages := map[string]bool{}, map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if err == nil && at != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return err
		}
		isPage := path.Ext(at) == ".md" && (strings.HasPrefix(at, "docs/explanation/") || at == "papers/README.md")
		if ext := path.Ext(at); !isPage && ext != ".go" && ext != ".s" {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(at)))
		if err != nil {
			return err
		}
		if isPage {
			pages[at] = string(text)
			return nil
		}
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			words[word] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	for at, text := range pages {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !isMixed(m[1]) {
				continue
			}
			if names++; !words[m[1]] {
				t.Errorf("%s: no code contains %s", at, m[0])
			}
		}
	}
	if len(pages) < 40 || names < 400 {
		t.Errorf("only %d names in %d pages", names, len(pages))
	}
}
