package main

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// Every mutant of the lists compiles. This test is needed because CI judges only a sample of the mutants. It
// type-checks eight mutants of a package together, and in the short form all of them. A mutant that compiles only
// because of another one in its group is not found.
func TestListsBuild(t *testing.T) {
	all, err := read(".")
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range typed(t, "../../..", all, heavy.Pick(len(all), 8)) {
		t.Errorf("%s: %v", m, err)
	}
}

// Mutants that do not compile are found, individually and together.
func TestTyped(t *testing.T) {
	root := write(t, toy)
	var all []mutant
	for i, replacement := range []string{"3 * x", "2 * y", "4 * x"} {
		all = append(all, mutant{Name: fmt.Sprint("scale", i), File: "toy.go", Old: "2 * x", New: replacement})
	}
	all = append(all,
		mutant{Name: "shift", File: "toy.go", Old: "x + 1", New: "x - 1"},
		mutant{Name: "none", File: "toy.go", Old: "7, 7", New: "7"})
	for _, most := range []int{1, 2, len(all)} {
		wrong := typed(t, root, all, most)
		for name, text := range map[string]string{"scale1": "undefined: y", "none": "not enough return values"} {
			if err := wrong[name]; err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%d together: %s: error %v", most, name, err)
			}
		}
		if len(wrong) != 2 {
			t.Errorf("%d together: %v", most, wrong)
		}
	}
}

// typed type-checks the mutants and returns the errors of those that do not compile, by name. It checks up to most
// mutants of a package together. If such a group has an error, it divides the group in two and checks each half. The go
// command provides the export data of imports.
func typed(t *testing.T, root string, mutants []mutant, most int) map[string]error {
	t.Helper()
	var directories []string
	for _, m := range mutants {
		directories = append(directories, "./"+path.Dir(m.File))
	}
	slices.Sort(directories)
	all, err := load(t.Context(), root, slices.Compact(directories))
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		t.Fatal(err)
	}

	wrong := map[string]error{}
	inPackage := map[string][]edit{}
	for _, m := range mutants {
		e, err := place(top, m)
		if err != nil {
			wrong[m.Name] = err
			continue
		}
		// Mutants in assembler or for other platforms are not checked.
		if directory := filepath.Dir(e.file); slices.Contains(all.at[directory].GoFiles, filepath.Base(e.file)) {
			inPackage[directory] = append(inPackage[directory], e)
		}
	}
	c := all.checker()
	for directory, edits := range inPackage {
		var judge func(group []edit)
		judge = func(group []edit) {
			err := checkTypes(c, all.at[directory], group)
			switch half := len(group) / 2; {
			case err == nil:
			case half == 0:
				wrong[group[0].name] = err
			default:
				judge(group[:half])
				judge(group[half:])
			}
		}
		for _, group := range apart(edits, most) {
			judge(group)
		}
	}
	return wrong
}

// An edit is a mutant with its position in a file: it replaces the bytes from offset from to offset to.
type edit struct {
	name, file, text string
	from, to         int
	replacement      string
}

func place(root string, m mutant) (edit, error) {
	if _, err := m.apply(root); err != nil {
		return edit{}, err
	}
	file := filepath.Join(root, m.File)
	text, err := os.ReadFile(file)
	from := strings.Index(string(text), m.Old)
	return edit{m.Name, file, string(text), from, from + len(m.Old), m.New}, err
}

// apart divides edits into groups. A group has at most most edits, and no two of its edits overlap.
func apart(edits []edit, most int) (groups [][]edit) {
	edits = slices.SortedFunc(slices.Values(edits), func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.from, b.from))
	})
	for _, e := range edits {
		i := slices.IndexFunc(groups, func(group []edit) bool {
			last := group[len(group)-1]
			return len(group) < most && (last.file != e.file || last.to <= e.from)
		})
		if i < 0 {
			groups = append(groups, []edit{e})
		} else {
			groups[i] = append(groups[i], e)
		}
	}
	return groups
}

// checkTypes applies the edits, which are in the order of their positions, to the package p. It type-checks the result
// and returns the first error.
func checkTypes(c checker, p pack, edits []edit) error {
	changed := map[string][]byte{}
	for _, e := range slices.Backward(edits) {
		text, found := changed[e.file]
		if !found {
			text = []byte(e.text)
		}
		changed[e.file] = slices.Concat(text[:e.from], []byte(e.replacement), text[e.to:])
	}
	_, _, err := c.check(p, changed, nil, nil)
	return err
}
