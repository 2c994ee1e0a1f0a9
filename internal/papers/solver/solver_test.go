//go:build unix

package solver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// script returns a program that runs a shell script.
func script(t *testing.T, lines string) solver.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fake")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+lines), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := solver.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run runs the program in a new directory.
func run(t *testing.T, ctx context.Context, p solver.Program, args ...string) (r solver.Result, err error) {
	t.Helper()
	err = solver.InDir(func(d solver.Dir) error {
		r, err = p.Run(ctx, d, args...)
		return err
	})
	return r, err
}

func TestRun(t *testing.T) {
	p := script(t, `echo "$@"; echo private >&2; read line && echo "$line"; [ "$TMPDIR" = "$PWD" ] && exit 10`)
	p.Args = []string{"a"}
	r, err := run(t, context.Background(), p, "b c", "$0")
	if err != nil || r.Code != 10 || string(r.Stdout) != "a b c $0\n" {
		t.Errorf("code %d, output %q, error %v", r.Code, r.Stdout, err)
	}
}

func TestFindSaysWhatIsMissing(t *testing.T) {
	_, err := solver.Find("no-such-solver")
	if !errors.Is(err, solver.ErrMissing) || !strings.Contains(err.Error(), "no-such-solver") {
		t.Error(err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{plain, filepath.Dir(plain), plain + "-not", ""} {
		if _, err := run(t, context.Background(), solver.Program{Path: path}); !errors.Is(err, solver.ErrMissing) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestOutputIsLimited(t *testing.T) {
	p := script(t, "printf 12345678")
	p.Output = 8
	if r, err := run(t, context.Background(), p); err != nil || len(r.Stdout) != 8 {
		t.Errorf("output of exactly the limit: %d bytes, error %v", len(r.Stdout), err)
	}
	p.Output = 7
	if r, err := run(t, context.Background(), p); !errors.Is(err, solver.ErrOutput) || r.Stdout != nil {
		t.Errorf("output one byte above the limit: %d bytes, error %v", len(r.Stdout), err)
	}
	p = script(t, "yes; sleep 1000")
	p.Output = 1 << 20
	if _, err := run(t, context.Background(), p); !errors.Is(err, solver.ErrOutput) {
		t.Errorf("unlimited output: error %v", err)
	}
}

func TestSignal(t *testing.T) {
	if _, err := run(t, context.Background(), script(t, "kill -9 $$")); !errors.Is(err, solver.ErrKilled) {
		t.Error(err)
	}
}

// gone waits until the process has ended.
func gone(pid int) {
	for syscall.Kill(pid, 0) == nil {
		if data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(data), ") Z ") {
			return
		}
		runtime.Gosched()
	}
}

// pids parses the process ids that a script has written.
func pids(t *testing.T, data []byte, n int) []int {
	t.Helper()
	var out []int
	for _, field := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	if len(out) != n {
		t.Fatalf("the script wrote the process ids %v; want %d", out, n)
	}
	return out
}

func TestCancelKillsTheGroup(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // cancels when both processes run
		for {
			if data, _ := os.ReadFile(note); strings.Count(string(data), "\n") == 2 {
				cancel()
				return
			}
			runtime.Gosched()
		}
	}()
	_, err := run(t, ctx, script(t, `trap '' TERM INT; sleep 1000 & echo $! >>"$1"; echo $$ >>"$1"; wait; sleep 1000`), note)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	data, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids(t, data, 2) {
		gone(pid)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	r, err := run(t, context.Background(), script(t, "sleep 1000 & echo $!"))
	if err != nil {
		t.Fatal(err)
	}
	gone(pids(t, r.Stdout, 1)[0])
}

func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(t, ctx, script(t, "exit 0")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestMemoryIsLimited(t *testing.T) {
	p := script(t, "ulimit -v; ulimit -c")
	p.Memory = 1 << 30
	r, err := run(t, context.Background(), p)
	if runtime.GOOS != "linux" {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		return
	}
	if err != nil || string(r.Stdout) != "1048576\n0\n" {
		t.Errorf("limits %q, %v", r.Stdout, err)
	}
}

// used calls use in a directory and checks that it is removed afterwards.
func used(t *testing.T, use func(d solver.Dir) error) (err error) {
	t.Helper()
	var dir solver.Dir
	defer func() {
		recover()
		if _, err := os.Stat(string(dir)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory was not removed: %v", err)
		}
	}()
	return solver.InDir(func(d solver.Dir) error {
		dir = d
		return use(d)
	})
}

func TestDirIsPrivate(t *testing.T) {
	err := used(t, func(d solver.Dir) error {
		if info, err := os.Stat(string(d)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory has the mode %v (error %v)", info.Mode(), err)
		}
		if err := d.Write("a", func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }); err != nil {
			return err
		}
		if info, err := os.Stat(d.Path("a")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has the mode %v (error %v)", info.Mode(), err)
		}
		if data, err := d.Read("a", 4); err != nil || string(data) != "text" {
			t.Errorf("read %q, %v", data, err)
		}
		if _, err := d.Read("a", 3); !errors.Is(err, solver.ErrOutput) {
			t.Errorf("a file above the size limit: error %v", err)
		}
		if _, err := d.Read("b", 3); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that does not exist: error %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDirIsRemoved(t *testing.T) {
	fill := func(d solver.Dir) {
		if err := d.Write("a", func(io.Writer) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	failure := errors.New("failure")
	if err := used(t, func(d solver.Dir) error { fill(d); return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	used(t, func(d solver.Dir) error { fill(d); panic("on the way") })
}

// A program that calls Abandon and exits during a call of InDir leaves no directory. The test starts its own
// executable as this program.
func TestAbandon(t *testing.T) {
	if os.Getenv("SIBYL_TEST_ABANDON") == "" {
		temporary := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestAbandon$")
		cmd.Env = append(os.Environ(), "SIBYL_TEST_ABANDON=1", "TMPDIR="+temporary)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
			t.Errorf("left %v, %v", left, err)
		}
		return
	}
	err := solver.InDir(func(d solver.Dir) error {
		text := func(w io.Writer) error { _, err := io.WriteString(w, "private"); return err }
		if err := d.Write("before", text); err != nil {
			t.Error(err)
		}
		err := d.Write("during", func(w io.Writer) error { solver.Abandon(); return text(w) })
		if err != nil {
			t.Error(err)
		}
		if err := d.Write("after", text); !errors.Is(err, solver.ErrAbandoned) {
			t.Error(err)
		}
		if err := solver.InDir(func(solver.Dir) error { return nil }); !errors.Is(err, solver.ErrAbandoned) {
			t.Error(err)
		}
		if !t.Failed() {
			os.Exit(0)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
