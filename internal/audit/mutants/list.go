package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A mutant is one entry of a list of deliberate faults: a change of the code that some test should
// detect.
type mutant struct {
	Name string // unique, in lower case with hyphens
	Why  string // the purpose of the line, and the effect of the change
	File string // the changed file, from the top of the checkout
	Old  string // a text that is in the file exactly once
	New  string // the replacement
	// Test holds the arguments of go test: a package, and -run with a regular
	// expression. At least one of the tests that it selects must fail.
	Test string
	// Equivalent states why the change has no effect that can be observed. It replaces Test.
	Equivalent string
}

// read returns the mutants of all lists in a directory, sorted by their tests. If there are invalid entries, it returns
// one error that describes the defects of all of them.
func read(directory string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.toml"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	var wrong []error
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var list struct{ Mutant []mutant }
		if err := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields().Decode(&list); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, m := range list.Mutant {
			if err := m.check(); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: %s: %w", file, m.Name, err))
			}
			if names[m.Name] {
				wrong = append(wrong, fmt.Errorf("%s: %s: another mutant has this name; names must be unique", file, m.Name))
			}
			names[m.Name] = true
		}
		all = append(all, list.Mutant...)
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return cmp.Compare(a.Test, b.Test) })
	return all, errors.Join(wrong...)
}

var (
	nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	testForm = regexp.MustCompile(`^\./\S*( .*)? -run \S+( .*)?$`)
)

// check returns an error if the entry of the list is invalid.
func (m mutant) check() error {
	switch {
	case !nameForm.MatchString(m.Name):
		return errors.New("the name must consist of lower-case words with hyphens between them")
	case m.Why == "" || m.File == "" || m.Old == "" || m.Old == m.New:
		return errors.New("the mutant must have the keys \"why\", \"file\", \"old\" and \"new\", and new must differ from old")
	case (m.Test == "") == (m.Equivalent == ""):
		return errors.New("the mutant must have exactly one of the keys \"test\" and \"equivalent\"")
	case m.Test != "" && !testForm.MatchString(m.Test):
		return fmt.Errorf("the key \"test\" is %q, but must be a package such as ./noise, then -run, then a regular expression of test names", m.Test)
	}
	return nil
}

// apply returns the text of the mutant's source file after the change.
func (m mutant) apply(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), m.Old); n != 1 {
		return nil, fmt.Errorf("the value of \"old\" must occur exactly once in the file, but it occurs %d times in %s", n, m.File)
	}
	return []byte(strings.Replace(string(text), m.Old, m.New, 1)), nil
}

// matching returns those mutants of the list whose name or file matches the pattern.
func matching(all []mutant, pattern *regexp.Regexp) []mutant {
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		return !pattern.MatchString(m.Name) && !pattern.MatchString(m.File)
	})
}

// sample returns a pseudorandom sample of n mutants, in the order of the parameter all. The given word serves as the
// seed: it is hashed together with the name of each mutant, and the mutants with the smallest hashes are selected.
func sample(all []mutant, n int, word string) []mutant {
	rank := func(m mutant) string {
		sum := sha256.Sum256([]byte(word + " " + m.Name))
		return string(sum[:])
	}
	ranks := make([]string, len(all))
	for i, m := range all {
		ranks[i] = rank(m)
	}
	slices.Sort(ranks)
	return slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return rank(m) > ranks[n-1] })
}
