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
	// ErrMissing reports an executable that does not exist or cannot be started.
	ErrMissing = errors.New("solver: the executable of the solver does not exist")
	// ErrOutput reports that the output of a solver exceeded its limit. If this was the standard
	// output, the solver was killed.
	ErrOutput = errors.New("solver: too much output")
	// ErrKilled reports that a signal ended the solver.
	ErrKilled = errors.New("solver: the program was killed by a signal")
)

// MostOutput is the default limit on a solver's output: 64 MiB.
const MostOutput = 64 << 20

// A Program is the executable of a solver, with limits on its memory and output.
type Program struct {
	// Path is the path of the executable.
	Path string
	// Args precede the arguments of every run. For an interpreter, they can name a script.
	Args []string
	// Memory limits the address space of each process, in bytes; 0 means no limit. A limit requires
	// Linux, where the shell's ulimit sets it. On other systems Run fails with
	// errors.ErrUnsupported if Memory is positive.
	Memory int64
	// Output limits the standard output, in bytes; 0 means MostOutput.
	Output int64
}

// Find returns the program with the given path. If name is not a path, Find searches PATH for a program with this name.
// If there is none, it returns ErrMissing.
func Find(name string) (Program, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return Program{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return Program{Path: path}, nil
}

// A Result is the outcome of a run of a solver.
type Result struct {
	Code   int // the exit status; its meaning depends on the solver
	Stdout []byte
}

// Run starts the program in the directory dir and waits until it exits. The program's standard input is empty, its
// standard error is discarded, and its TMPDIR is dir. Run returns ErrMissing, ErrOutput, ErrKilled or the context's
// error if it fails. In all cases, the program has ended when Run returns. An exit status other than 0 is not an
// error.
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

	// The kernel kills the process when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	w.Close()
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	out := capture(r, p.output(), stop)
	waited := cmd.Wait()
	killGroup(cmd.Process) // kill processes that the program started and left running
	select {
	case <-out.done:
	case <-ctx.Done(): // a process outside the group may keep the pipe open
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

// output returns the limit on the program's standard output, in bytes.
func (p Program) output() int64 {
	if p.Output <= 0 {
		return MostOutput
	}
	return p.Output
}

// A captured holds the output of a solver that capture reads. Its fields buffer, exceeded and err are valid after
// reading.Wait has returned.
type captured struct {
	reading  parallel.Group
	buffer   bytes.Buffer
	exceeded bool
	err      error
	done     chan struct{}
}

// capture starts a goroutine that reads r to its end. If r has more bytes than the given limit, or if reading panics,
// the goroutine stops reading and calls the function stop.
func capture(r io.Reader, limit int64, stop func()) *captured {
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
		n, c.err = io.Copy(&c.buffer, io.LimitReader(r, limit+1))
		c.exceeded = n > limit
		whole = !c.exceeded
	})
	return c
}
