package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

var (
	// ErrMissing reports an executable that is not there or does not start.
	ErrMissing = errors.New("solver: no such executable")
	// ErrOutput reports that a solver printed more than was to be read; it was
	// killed.
	ErrOutput = errors.New("solver: too much output")
	// ErrKilled reports that a solver ended by a signal, not of its own accord.
	ErrKilled = errors.New("solver: killed by a signal")
)

// MostOutput is how much of a solver's output is read where a Program sets no
// limit: 64 MiB.
const MostOutput = 64 << 20

// A Program is an executable with its limits.
type Program struct {
	// Path is the executable.
	Path string
	// Args come before the arguments of every run; an interpreter's script,
	// say.
	Args []string
	// Memory limits the address space of each process in bytes; 0 is no
	// limit. It works on Linux, with the shell's ulimit; elsewhere a limit is
	// refused with errors.ErrUnsupported.
	Memory int64
	// Output limits what is read of the standard output, in bytes; 0 stands
	// for MostOutput.
	Output int64
}

// Find returns the program of the given name: a path, or a name that is looked
// for on PATH. It fails with ErrMissing.
func Find(name string) (Program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Program{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return Program{Path: path}, nil
}

// A Result is how a program ended and what it printed.
type Result struct {
	Code   int // of the exit; solvers say many things by it
	Stdout []byte
}

// Run starts the program in the directory and waits for its end. Standard
// input is empty, standard error is dropped, and temporary files go to the
// directory. It fails with ErrMissing, ErrOutput, ErrKilled, or with the
// context's error, and then the program has ended too.
func (p Program) Run(ctx context.Context, dir Dir, args ...string) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if _, err := Find(p.Path); err != nil {
		return Result{}, err
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	path, all, err := p.limited(append(p.Args[:len(p.Args):len(p.Args)], args...))
	if err != nil {
		return Result{}, err
	}
	cmd := exec.CommandContext(watched, path, all...)
	cmd.Dir = string(dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+string(dir), "TMP="+string(dir), "TEMP="+string(dir))
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	r, w, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer r.Close()
	cmd.Stdout = w

	// The kernel ties the death signal to the thread that starts the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	w.Close()
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	out := capture(r, p.output(), stop)
	waited := cmd.Wait()
	killGroup(cmd.Process) // what the program may have left behind
	select {
	case <-out.done:
	case <-ctx.Done(): // a process outside the group may hold the pipe
		r.Close()
	}
	out.reading.Wait()
	switch state := cmd.ProcessState; {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case out.exceeded:
		return Result{}, fmt.Errorf("%w: more than %d bytes", ErrOutput, p.output())
	case out.err != nil:
		return Result{}, out.err
	case state == nil:
		return Result{}, waited
	case !state.Exited():
		return Result{}, ErrKilled
	default:
		return Result{Code: state.ExitCode(), Stdout: out.buffer.Bytes()}, nil
	}
}

// output returns the limit on the output.
func (p Program) output() int64 {
	if p.Output <= 0 {
		return MostOutput
	}
	return p.Output
}

// A captured is what was read of an output; its fields hold once reading has ended.
type captured struct {
	reading  parallel.Group
	buffer   bytes.Buffer
	exceeded bool
	err      error
	done     chan struct{}
}

// capture reads r to its end; beyond most bytes, or over a panic, it calls stop and gives up.
func capture(r io.Reader, most int64, stop func()) *captured {
	c := &captured{done: make(chan struct{})}
	c.reading.Go(func() {
		whole := false
		defer func() {
			if !whole {
				stop()
			}
			close(c.done)
		}()
		var n int64
		n, c.err = io.Copy(&c.buffer, io.LimitReader(r, most+1))
		c.exceeded = n > most
		whole = !c.exceeded
	})
	return c
}
