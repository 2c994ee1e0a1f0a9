package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

const (
	workers = 2    // mutants judged at a time
	limit   = "5m" // the timeout of go test
)

// judge runs the tests of each mutant, and prints its verdict to out. It returns an error that names all surviving
// mutants and all invalid entries of the lists.
func judge(ctx context.Context, root string, mutants []mutant, out io.Writer) error {
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	root, err = filepath.Abs(root)
	if err != nil {
		return err
	}
	// Without a mutant, each set of tests runs once, for all mutants that name it.
	sound := map[string]func() error{}
	for _, m := range mutants {
		sound[m.Test] = sync.OnceValue(func() error { return passes(ctx, root, m.Test) })
	}

	var (
		lock    sync.Mutex
		started atomic.Int64
		wrong   = make([]error, len(mutants))
	)
	err = parallel.Do(ctx, workers, len(mutants), func() func(int) {
		c := checkout{root: root, scratch: filepath.Join(scratch, fmt.Sprint(started.Add(1)))}
		return func(i int) {
			m, start := mutants[i], time.Now()
			verdict, err := c.verdict(ctx, m, sound[m.Test])
			if wrong[i] = err; err != nil {
				verdict, wrong[i] = err.Error(), fmt.Errorf("%s: %w", m.Name, err)
			}
			lock.Lock()
			fmt.Fprintf(out, "%s: %s [%.1f s]\n", m.Name, verdict, time.Since(start).Seconds())
			lock.Unlock()
		}
	})
	if err != nil {
		return err
	}
	wrong = slices.DeleteFunc(wrong, func(err error) bool { return err == nil })
	fmt.Fprintf(out, "%d mutants, %d of them not killed\n", len(mutants), len(wrong))
	return errors.Join(wrong...)
}

// passes returns an error if the tests fail even for the code without any mutant.
func passes(ctx context.Context, root, test string) error {
	o, err := goTest(ctx, root, "", test)
	switch {
	case err != nil:
		return err
	case o.broken || len(o.failed) > 0:
		return fmt.Errorf("the tests fail even without the mutant: %s", o)
	case !o.passed:
		return fmt.Errorf("go test %s runs no test, or skips all of them; correct the mutant's key test", test)
	}
	return nil
}

// A checkout is a copy of the repository in the directory root. The go command reads its files, except one: a
// modified copy of this file, in the directory scratch, replaces it (flag -overlay).
type checkout struct{ root, scratch string }

// verdict judges the mutant m. It returns the names of the tests that failed because of the mutant,
// or "equivalent" if the mutant is listed as such. It returns an error if the mutant survives, if
// its entry in the list is invalid, or if its tests fail even without the mutant. The function
// sound must return an error in the last case.
func (c checkout) verdict(ctx context.Context, m mutant, sound func() error) (string, error) {
	overlay, err := c.overlay(m)
	if err != nil {
		return "", err
	}
	if m.Equivalent != "" {
		build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", os.DevNull, "./"+path.Dir(m.File))
		build.Dir = c.root
		if text, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("the mutant does not build: %s", text)
		}
		return "equivalent", nil
	}
	if err := sound(); err != nil {
		return "", err
	}
	o, err := goTest(ctx, c.root, overlay, m.Test)
	switch {
	case err != nil:
		return "", err
	case o.broken:
		return "", fmt.Errorf("the mutant does not build: %s", o)
	case o.late:
		return "", fmt.Errorf("the tests did not end within %s", limit)
	case len(o.failed) == 0:
		return "", errors.New("SURVIVES")
	}
	return "killed by " + strings.Join(o.failed, ", "), nil
}

// overlay writes the modified file of the mutant m, and a JSON file for the flag -overlay of the go command. It returns
// the path of the JSON file.
func (c checkout) overlay(m mutant) (string, error) {
	text, err := m.apply(c.root)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(c.scratch, 0o700); err != nil {
		return "", err
	}
	changed := filepath.Join(c.scratch, filepath.Base(m.File))
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(c.root, m.File): changed},
	})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(c.scratch, "overlay.json")
	return overlay, os.WriteFile(overlay, replace, 0o600)
}

// An outcome is the result that the command go test reports for one mutant.
type outcome struct {
	failed []string // the failed tests, without subtests
	passed bool     // whether at least one test passed
	broken bool     // whether the build failed
	late   bool     // whether the tests exceeded the time limit
	text   strings.Builder
}

// String returns the last lines of the output of go test.
func (o *outcome) String() string {
	text := strings.TrimSpace(o.text.String())
	return text[max(0, len(text)-2000):]
}

// goTest runs go test. The parameter test holds a package and flags; the parameter overlay is a file for the flag
// -overlay, or "".
func goTest(ctx context.Context, root, overlay, test string) (*outcome, error) {
	arguments := []string{"test", "-json", "-vet=off", "-timeout", limit}
	if overlay != "" {
		arguments = append(arguments, "-overlay", overlay)
	}
	command := exec.CommandContext(ctx, "go", append(arguments, strings.Fields(test)...)...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOMAXPROCS=2") // some mutants are wrong only with several threads
	var errs bytes.Buffer
	command.Stderr = &errs
	stdout, err := command.Output()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	o := new(outcome)
	lines := json.NewDecoder(bytes.NewReader(stdout))
	ended := false
	for {
		var event struct{ Action, Test, Output, FailedBuild string }
		if err := lines.Decode(&event); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go test %s: %w: %s", test, err, errs.String())
		}
		o.text.WriteString(event.Output)
		o.late = o.late || strings.HasPrefix(event.Output, "panic: test timed out")
		inner := strings.Contains(event.Test, "/")
		switch event.Action {
		case "fail":
			o.broken = o.broken || event.FailedBuild != ""
			if !inner && event.Test != "" {
				o.failed = append(o.failed, event.Test)
			}
			ended = true
		case "pass":
			o.passed = o.passed || event.Test != ""
			ended = true
		case "skip":
			ended = true
		}
	}
	if !ended || err != nil && len(o.failed) == 0 && !o.broken {
		return nil, fmt.Errorf("go test %s: %s%s", test, errs.String(), o)
	}
	return o, nil
}
