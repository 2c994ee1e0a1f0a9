package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// tried is a module for tests of automate, as the contents of its files. Its tests cover Clip, Sum and Count completely.
var tried = map[string]string{
	"go.mod": "module tried\n\ngo 1.26\n",
	"tried.go": `package tried

type pair struct{ low, high int }

func Clip(x int, p pair) int {
	if x < p.low {
		return p.low
	}
	return min(x, p.high)
}

func Sum(of []int) (sum int) {
	for _, x := range of {
		sum += x
	}
	return sum
}

func Unseen(x int) int { return x + 1 }

func Refuse(err error) (int, error) { return 7, err }

func Caught(f func()) (caught bool) {
	defer func() {
		if recover() != nil {
			caught = true
		}
	}()
	f()
	return caught
}

func Half(x int) (half int, even bool) {
	if half, even := x/2, x&1 == 0; even {
		return half, even
	}
	return 0, false
}

func Count(n int) (i int) {
	for i < n {
		i++
	}
	return i
}
`,
	"tried_test.go": `package tried

import "testing"

func TestClip(t *testing.T) {
	for _, c := range [][2]int{{1, 2}, {3, 3}, {9, 5}} {
		if got := Clip(c[0], pair{2, 5}); got != c[1] {
			t.Errorf("%d", got)
		}
	}
}

func TestSum(t *testing.T) {
	if Sum([]int{1, 2, 4}) != 7 {
		t.Error("wrong")
	}
}

func TestCaught(t *testing.T) {
	if !Caught(func() { panic(1) }) || Caught(func() {}) {
		t.Error("wrong")
	}
}

func TestHalf(t *testing.T) {
	for x, want := range []int{0, 0, 1, 0, 2} {
		if half, even := Half(x); half != want || even != (x%2 == 0) {
			t.Errorf("%d: %d, %v", x, half, even)
		}
	}
}

func TestCount(t *testing.T) {
	if Count(3) != 3 {
		t.Error("wrong")
	}
}
`,
	"critical/list.toml": `[[group]]
why = "all of it"
files = ["tried.go"]
tests = ["."]

[[equivalent]]
file = "tried.go"
line = "if x < p.low {"
change = "x < p.low → x <= p.low"
why = "at p.low both ways return it"

[[survivor]]
file = "tried.go"
line = "return i"
change = "i → n"
`,
}

// TestAutomate checks that automate reports, for each mutant, whether it is killed, survives, hangs, is not reached by a
// test, or is listed as equivalent. It has a full form only, as TestVerdicts.
func TestAutomate(t *testing.T) {
	if !heavy.On() {
		t.Skip("the mutants are compiled and run; SIBYL_HEAVY=1 runs this test")
	}
	root := write(t, tried)
	var out bytes.Buffer
	err := automate(t.Context(), root, filepath.Join(root, "critical"), regexp.MustCompile(""), 0, "", &out)
	if err == nil || !strings.Contains(err.Error(), "automatic mutants survive") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"tried.go:19: func Unseen(x int) int { return x + 1 }   [x + 1 → x - 1]: NOT REACHED\n",
		"| tried.go | 41 | 35 | 1 | 1 | 1 | 0 | 3 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	// An equivalent mutant whose line no longer exists is an error.
	text, err := os.ReadFile(filepath.Join(root, "tried.go"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("x < p.low"), []byte("p.low > x"), 1)
	if err := os.WriteFile(filepath.Join(root, "tried.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := automate(t.Context(), root, filepath.Join(root, "critical"), regexp.MustCompile(""), 1, "x", &out); err == nil || !strings.Contains(err.Error(), "a listed mutant does not exist in tried.go") {
		t.Errorf("error %v", err)
	}
}

// Of a sampled group, only the given number of mutants is judged, and these are the same in each run. A file belongs to
// the first group that lists it. A file that is not built on this machine belongs to no group.
func TestSampledGroup(t *testing.T) {
	files := map[string]string{
		"go.mod": tried["go.mod"], "tried.go": tried["tried.go"], "tried_test.go": tried["tried_test.go"],
		"more.go":       "package tried\n\nfunc Twice(x int) int { return 2 * x }\n",
		"more_plan9.go": "package tried\n\nvar elsewhere = absent\n",
		"list/list.toml": `[[group]]
why = "some"
files = ["more.go"]
tests = ["."]
open = true

[[group]]
why = "the rest"
files = ["*.go"]
tests = ["."]
open = true
sampled = 5
`,
	}
	root := write(t, files)
	var reports []string
	for range heavy.Pick(1, 2) { // TestSample checks, also in the short form, that a sample is the same each time
		var out bytes.Buffer
		if err := automate(t.Context(), root, filepath.Join(root, "list"), regexp.MustCompile(""), 0, "", &out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range []string{"5 of 41 automatic mutants of the rest\n", "| more.go | 3 | 0 | 0 | 0 | 3 | 0 | 0 |\n", "| tried.go | 5 |", "| together | 8 |"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		_, table, _ := strings.Cut(text, "| tried.go ")
		table, _, _ = strings.Cut(table, "\n")
		reports = append(reports, table)
	}
	if reports[0] != reports[len(reports)-1] {
		t.Errorf("%s, then %s", reports[0], reports[1])
	}
}

// Each listed mutant occurs once in the lists, and its line contains the text that it replaces as often as its number
// requires. This detects outdated lists without generating all mutants.
func TestListsApplyToAutomatic(t *testing.T) {
	c, err := readCritical("automatic")
	if err != nil {
		t.Fatal(err)
	}
	for _, stale := range staleNotes("../../..", c) {
		t.Error(stale)
	}
	root := write(t, map[string]string{"a.go": "package a\n\nvar (\n\tx = f(2,\n\t\t3) + f(2)\n\ty = 1\n\ty = 1\n)\n"})
	for _, c := range []struct {
		line, change string
		stale        bool
	}{
		{"y = 1", "1 → (1) + 1", false},
		{"y = 1", "1 → (1) + 1 (2)", false},
		{"y = 1", "1 → (1) + 1 (3)", true},
		{"y = 1", "2 → (2) + 1", true},
		{"y =", "y → x", true},
		{"x = f(2,", "f(2, 3) → f(3, 2)", false},
		{"x = f(2,", "2 → (2) - 1", false},
		{"x = f(2,", "3 → (3) - 1", true},
	} {
		note := noted{File: "a.go", Line: c.line, Change: c.change}
		if got := staleNotes(root, critical{Survivor: []noted{note}}); (len(got) == 1) != c.stale {
			t.Errorf("%+v: %v", note, got)
		}
		if got := staleNotes(root, critical{Equivalent: []noted{note}, Survivor: []noted{note}}); len(got) == 0 {
			t.Errorf("%+v is noted twice, and accepted", note)
		}
	}
}

var repeated = regexp.MustCompile(`^(.*) \(([0-9]+)\)$`)

// staleNotes returns a description of each listed mutant that is listed twice, or whose line or text does not exist in
// the file.
func staleNotes(root string, c critical) (stale []string) {
	lines := map[string][]string{}
	seen := map[string]bool{}
	for _, e := range slices.Concat(c.Equivalent, c.Survivor) {
		if seen[e.key()] {
			stale = append(stale, fmt.Sprintf("%s: %q at %q is noted twice", e.File, e.Change, e.Line))
		}
		seen[e.key()] = true
		if lines[e.File] == nil {
			text, err := os.ReadFile(filepath.Join(root, e.File))
			if err != nil {
				stale = append(stale, err.Error())
				continue
			}
			lines[e.File] = strings.Split(string(text), "\n")
		}
		change, times := e.Change, 1
		if m := repeated.FindStringSubmatch(change); m != nil {
			change = m[1]
			times, _ = strconv.Atoi(m[2])
		}
		old, _, _ := strings.Cut(change, " → ")
		old = strings.TrimSuffix(old, " …") // the text of a long statement is shortened
		found := 0
		for i, line := range lines[e.File] {
			if line = strings.TrimSpace(line); line != e.Line {
				continue
			}
			text := strings.Join(strings.Fields(strings.Join(lines[e.File][i:], " ")), " ")
			for at := range strings.Join(strings.Fields(line), " ") {
				if strings.HasPrefix(text[at:], old) {
					found++
				}
			}
		}
		if found < times {
			stale = append(stale, fmt.Sprintf("%s: %q is %d times at %q, not %d times", e.File, old, found, e.Line, times))
		}
	}
	return stale
}
