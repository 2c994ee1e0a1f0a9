package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// toy is a module with a tested line, an untested line, and a test that always fails.
var toy = map[string]string{
	"go.mod": "module toy\n\ngo 1.26\n",
	"toy.go": `package toy

func Scale(x int) int { return 2 * x }

func Shift(x int) int { return x + 1 }

func Twice() (a, b int) { return 7, 7 }
`,
	"toy_test.go": `package toy

import "testing"

func TestScale(t *testing.T) {
	if Scale(3) != 6 {
		t.Error("wrong")
	}
}

func TestNothing(t *testing.T) { Shift(1) }

func TestRed(t *testing.T) { t.Fatal("as ever") }

func TestAbsent(t *testing.T) { t.Skip("no data") }
`,
}

// write writes the files to a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// entry returns a list with one mutant of toy.
func entry(name, old, replacement, rest string) string {
	return "[[mutant]]\nname = '" + name + "'\nwhy = 'a toy'\nfile = 'toy.go'\nold = '''" + old + "'''\nnew = '''" +
		replacement + "'''\n" + rest + "\n"
}

func TestVerdicts(t *testing.T) {
	root := write(t, toy)
	for _, c := range []struct {
		name, list string
		report     string // the printed report of the mutant
		err        string // the error, or "" for success
	}{
		{"killed", entry("a", "2 * x", "3 * x", "test = './ -run ^TestScale$'"), "a: killed by TestScale", ""},
		{"among others", entry("a", "2 * x", "3 * x", "test = './ -run TestScale|TestNothing'"), "a: killed by TestScale", ""},
		{"survivor", entry("a", "x + 1", "x + 2", "test = './ -run ^TestNothing$'"), "a: SURVIVES", "a: SURVIVES"},
		{"does not build", entry("a", "2 * x", "2 * y", "test = './ -run ^TestScale$'"), "", "(?s)does not build: .*undefined: y"},
		{"text twice", entry("a", "7", "8", "test = './ -run ^TestScale$'"), "", "old text is 2 times in toy.go"},
		{"text gone", entry("a", "4 * x", "8", "test = './ -run ^TestScale$'"), "", "old text is 0 times in toy.go"},
		{"red without it", entry("a", "2 * x", "3 * x", "test = './ -run ^TestRed$'"), "", "(?s)fail without it: .*as ever"},
		{"no such test", entry("a", "2 * x", "3 * x", "test = './ -run ^TestGone$'"), "", "runs no test"},
		{"skipped", entry("a", "2 * x", "3 * x", "test = './ -run ^TestAbsent$'"), "", "runs no test, or skips all"},
		{"no such package", entry("a", "2 * x", "3 * x", "test = './gone -run ^TestScale$'"), "", "gone"},
		{"equivalent", entry("a", "2 * x", "x + x", "equivalent = 'the same sum'"), "a: equivalent", ""},
		{"equivalent that does not build", entry("a", "2 * x", "y", "equivalent = 'so they say'"), "", "does not build"},
		{
			"one bad among good",
			entry("a", "2 * x", "3 * x", "test = './ -run ^TestScale$'") + entry("b", "x + 1", "x - 1", "test = './ -run ^TestNothing$'"),
			"a: killed by TestScale", "^b: SURVIVES$",
		},
	} {
		if !heavy.On() && (c.name == "killed" || c.name == "survivor") {
			continue // the last case has both
		}
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			err := run(t.Context(), root, write(t, map[string]string{"toy.toml": c.list}), nil, &out)
			if (err != nil) != (c.err != "") || err != nil && !regexp.MustCompile(c.err).MatchString(err.Error()) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if !strings.Contains(out.String(), c.report) {
				t.Errorf("no %q in\n%s", c.report, out.String())
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(root, "toy.go")); err != nil || string(text) != toy["toy.go"] {
		t.Errorf("the checkout was changed: %v", err)
	}
}

func TestListsAreChecked(t *testing.T) {
	good := entry("a", "x", "y", "test = './ -run ^TestScale$'")
	for _, c := range []struct{ list, err string }{
		{good, ""},
		{good + good, "a: the name is taken"},
		{strings.Replace(good, "'a'", "'A_1'", 1), "lower-case words"},
		{strings.Replace(good, "'a toy'", "''", 1), "needs why"},
		{strings.Replace(good, "'''y'''", "'''x'''", 1), "differs from old"},
		{entry("a", "x", "y", ""), "either test or equivalent"},
		{good + "equivalent = 'so they say'\n", "either test or equivalent"},
		{entry("a", "x", "y", "test = 'go test ./...'"), "not a package and -run"},
		{good + "tset = 'x'\n", "strict mode"},
	} {
		_, err := read(write(t, map[string]string{"toy.toml": c.list}))
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("error %v, want %q, of\n%s", err, c.err, c.list)
		}
	}
}

// The sample depends only on the word, and different words have different samples.
func TestSample(t *testing.T) {
	var all []mutant
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		all = append(all, mutant{Name: name})
	}
	names := func(word string) (s string) {
		for _, m := range sample(all, 5, word) {
			s += m.Name
		}
		return s
	}
	if a := names("one"); len(a) != 5 || a != names("one") || a == names("two") {
		t.Errorf("%s, %s, %s", a, names("one"), names("two"))
	}
}

// The lists of the repository are valid, and the files they name exist.
func TestListsApply(t *testing.T) {
	all, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if _, err := m.apply("../../.."); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
