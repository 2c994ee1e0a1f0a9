package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tried is a module whose tests see all that Clip, Sum and Count do.
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

// Mutants are killed, survive, hang, are not reached or are taken for equivalent as they should.
func TestAutomate(t *testing.T) {
	root := write(t, tried)
	var out bytes.Buffer
	err := automate(t.Context(), root, filepath.Join(root, "critical"), regexp.MustCompile(""), 0, "", &out)
	if err == nil || !strings.Contains(err.Error(), "are not killed") {
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
	// The file of an equivalent that is no more is an error, so that the list holds no dead lines.
	text, err := os.ReadFile(filepath.Join(root, "tried.go"))
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("x < p.low"), []byte("p.low > x"), 1)
	if err := os.WriteFile(filepath.Join(root, "tried.go"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := automate(t.Context(), root, filepath.Join(root, "critical"), regexp.MustCompile(""), 1, "x", &out); err == nil || !strings.Contains(err.Error(), "no such mutant") {
		t.Errorf("error %v", err)
	}
}

// Of a group that is sampled only so many mutants are judged, the same each time; a file belongs
// to the first group that has it, and those that are not built on this machine to none.
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
	for range 2 {
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
	if reports[0] != reports[1] {
		t.Errorf("%s, then %s", reports[0], reports[1])
	}
}
