package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// toy is a module, as the contents of its files. It has a tested line, an untested line, and a test that always fails.
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

// entry returns the text of a list with one mutant of toy.
func entry(name, old, replacement, rest string) string {
	return "[[mutant]]\nname = '" + name + "'\nwhy = 'a toy'\nfile = 'toy.go'\nold = '''" + old + "'''\nnew = '''" +
		replacement + "'''\n" + rest + "\n"
}

// TestVerdicts judges mutants of all kinds in one run. For mutants with the same test, the run tests the module without a
// mutant only once. It has a full form only, because it compiles a module for each mutant; in the short form,
// TestSampledGroup judges a few mutants.
func TestVerdicts(t *testing.T) {
	if !heavy.On() {
		t.Skip("each mutant is compiled; SIBYL_HEAVY=1 runs this test")
	}
	root := write(t, toy)
	const scale = "test = './ -run TestScale|TestNothing'"
	list, reports := "", map[string]string{}
	for _, c := range []struct {
		name, mutant string
		report       string // a regular expression that matches the printed report of the mutant
	}{
		{"among-others", entry("among-others", "2 * x", "3 * x", scale), "killed by TestScale"},
		{"killed", entry("killed", "2 * x", "3 * x", "test = './ -run ^TestScale$'"), "killed by TestScale"},
		{"survivor", entry("survivor", "x + 1", "x - 1", scale), "SURVIVES"},
		{"unbuilt", entry("unbuilt", "2 * x", "2 * y", scale), "the mutant does not build: (?s:.*?)undefined: y"},
		{"twice", entry("twice", "7", "8", scale), "it occurs 2 times in toy.go"},
		{"gone", entry("gone", "4 * x", "8", scale), "it occurs 0 times in toy.go"},
		{"red", entry("red", "2 * x", "3 * x", "test = './ -run ^TestRed$'"), "the tests fail even without the mutant: (?s:.*?)as ever"},
		{"no-test", entry("no-test", "2 * x", "3 * x", "test = './ -run ^TestGone$'"), "runs no test"},
		{"skipped", entry("skipped", "2 * x", "3 * x", "test = './ -run ^TestAbsent$'"), "runs no test, or skips all"},
		{"no-package", entry("no-package", "2 * x", "3 * x", "test = './gone -run ^TestScale$'"), "(?s:.*?)gone"},
		{"equivalent", entry("equivalent", "2 * x", "x + x", "equivalent = 'the same sum'"), "equivalent"},
		{"not-equivalent", entry("not-equivalent", "2 * x", "y", "equivalent = 'so they say'"), "the mutant does not build"},
	} {
		list += c.mutant
		reports[c.name] = c.report
	}
	lists := write(t, map[string]string{"toy.toml": list})
	var out strings.Builder
	err := run(t.Context(), root, lists, nil, &out)
	if err == nil {
		t.Fatalf("no error after\n%s", &out)
	}
	for name, report := range reports {
		if !regexp.MustCompile(`(?m)^` + name + `: .*` + report).MatchString(out.String()) {
			t.Errorf("no %s: %q in\n%s", name, report, &out)
		}
		bad := !strings.HasPrefix(report, "killed") && report != "equivalent"
		if found := regexp.MustCompile(`(?m)^` + name + `: `).MatchString(err.Error()); found != bad {
			t.Errorf("error %v, with %s %t", err, name, bad)
		}
	}
	if err := run(t.Context(), root, lists, []string{"-run", "^equivalent$"}, &out); err != nil {
		t.Errorf("error %v after a run without a survivor", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "toy.go")); err != nil || string(text) != toy["toy.go"] {
		t.Errorf("the checkout was changed: %v", err)
	}
}

func TestListsAreChecked(t *testing.T) {
	good := entry("a", "x", "y", "test = './ -run ^TestScale$'")
	for _, c := range []struct{ list, err string }{
		{good, ""},
		{good + good, "a: another mutant has this name"},
		{strings.Replace(good, "'a'", "'A_1'", 1), "lower-case words"},
		{strings.Replace(good, "'a toy'", "''", 1), `must have the keys "why"`},
		{strings.Replace(good, "'''y'''", "'''x'''", 1), "differ from old"},
		{entry("a", "x", "y", ""), "exactly one of the keys \"test\" and \"equivalent\""},
		{good + "equivalent = 'so they say'\n", "exactly one of the keys \"test\" and \"equivalent\""},
		{entry("a", "x", "y", "test = 'go test ./...'"), "must be a package such as ./noise, then -run"},
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

// The tests that the lists name exist.
func TestListsNameTests(t *testing.T) {
	all, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{} // the test files of each package, joined
	for _, m := range all {
		words := strings.Fields(m.Test)
		if len(words) == 0 {
			continue
		}
		directory := filepath.Join("../../..", words[0])
		if _, found := sources[directory]; !found {
			files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				sources[directory] += string(text)
			}
		}
		top, _, _ := strings.Cut(words[len(words)-1], "/")
		name := strings.Trim(top, "^$")
		if !plain.MatchString(name) {
			continue
		}
		declaration := "func " + name
		if strings.HasSuffix(top, "$") {
			declaration += "(t *testing.T)"
		}
		if !strings.Contains(sources[directory], declaration) {
			t.Errorf("%s: %s has no test %s", m.Name, words[0], top)
		}
	}
}

var plain = regexp.MustCompile("^(Test|Example)[A-Za-z0-9_]*$")
