//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A started is a running command. It has its own working directory, and another directory for temporary files.
type started struct {
	*exec.Cmd
	directory, temporary string
	sign                 string // a file that the command creates at a certain step, for commands whose log does not show the step
	stdout, stderr       bytes.Buffer
}

// start starts a command of the test program on the sample. The name is that of the command, or of a program that starts
// it.
func start(t *testing.T, name string, args ...string) *started {
	t.Helper()
	s := &started{Cmd: exec.Command(name, args...), directory: t.TempDir(), temporary: t.TempDir()}
	s.sign = filepath.Join(t.TempDir(), "sign")
	// The command ignores the signals that the tests ignore, such as hangups under nohup.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
	for _, file := range []string{"hospital.csv", "hospital.toml"} {
		text, err := sample.ReadFile("sample/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.directory, file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s.Dir, s.Stdout, s.Stderr = s.directory, &s.stdout, &s.stderr
	endless := filepath.Join(filepath.Dir(s.sign), "solver")
	if err := os.WriteFile(endless, []byte("#!/bin/sh\ntouch made-by-solver\necho there >$"+signVariable+"\nsleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Env = append(os.Environ(), "TMPDIR="+s.temporary, signVariable+"="+s.sign, "SIBYL_HIGHS="+endless)
	stdin, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(args, "-") { // standard input has only the header, so the command waits for rows
		text, err := sample.ReadFile("sample/hospital.csv")
		if err != nil {
			t.Fatal(err)
		}
		stdin.Write(text[:bytes.IndexByte(text, '\n')+1])
	}
	return s
}

// learning returns the arguments of a command learn on the sample, with more appended.
func learning(more ...string) []string {
	return append([]string{"learn", "scorecard", "--schema", "hospital.toml", "--epsilon", "1", "--out", "m.json"}, more...)
}

// await waits until the file contains the text.
func await(file, text string) {
	for {
		if have, err := os.ReadFile(file); err == nil && strings.Contains(string(have), text) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end sends a signal to the command and waits for its end.
func (s *started) end(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := s.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	s.Wait()
}

// check compares the exit code of the command, its output, and its files.
func (s *started) check(t *testing.T, code int, printed string, left ...string) {
	t.Helper()
	if got := s.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
	if got := s.stdout.String() + s.stderr.String(); got != printed {
		t.Errorf("printed %q", got)
	}
	s.checkLeft(t, append(left, "hospital.csv", "hospital.toml")...)
}

func (s *started) checkLeft(t *testing.T, want ...string) {
	t.Helper()
	for directory, most := range map[string][]string{s.directory: want, s.temporary: nil} {
		entries, err := os.ReadDir(directory)
		if err != nil || len(entries) != len(most) {
			t.Errorf("left %v, %v", entries, err)
		}
	}
}

const nothingWritten = "sibyl: interrupted; nothing was written\n"

// TestInterrupt sends signals to learn at four points: while it pads its running time, and while it waits for data that
// never arrives, for a solver, or for a slow disk. The short form sends every signal during the padding, and only
// SIGTERM at the other points.
func TestInterrupt(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		args    []string
		logs    string // the text in the log when the signal is sent; "" if a sign file shows this
	}{
		"padding": {"sibyl", []string{"--data", "hospital.csv", "--pad-to", "1h"}, "padding"},
		"reading": {"sibyl", []string{"--data", "-"}, "reading"},
		"solving": {"sibyl", []string{"--data", "hospital.csv", "--mechanism", "rspm", "--oracle", "highs"}, ""},
		"syncing": {"sibyl-slow-file", []string{"--data", "hospital.csv"}, ""},
	} {
		for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU} {
			if !heavy.On() && name != "padding" && signal != syscall.SIGTERM {
				continue
			}
			t.Run(name+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				s := start(t, test.command, learning(append(test.args, "--private-log", "log")...)...)
				if test.logs != "" {
					await(filepath.Join(s.directory, "log"), test.logs)
				} else {
					await(s.sign, "there")
				}
				s.end(t, signal)
				s.check(t, cli.ExitInterrupted, nothingWritten, "log")
			})
		}
	}
}

// TestInterruptCharged interrupts learn after it has charged an account. The output must state this.
func TestInterruptCharged(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger.db")
	sibyl(t, "account", "open", "--account", ledger, "--epsilon", "2", "--of", "patients")
	s := start(t, "sibyl", learning("--data", "hospital.csv", "--pad-to", "1h", "--private-log", "log", "--account", ledger)...)
	await(filepath.Join(s.directory, "log"), "padding")
	s.end(t, syscall.SIGINT)
	s.check(t, cli.ExitInterrupted, "sibyl: interrupted; nothing was written, but the account keeps the charge of this release\n", "log")
}

// TestInterruptAfterPublishing interrupts learn while a slow disk stores the name of the model. The model then exists,
// and the output must state this.
func TestInterruptAfterPublishing(t *testing.T) {
	s := start(t, "sibyl-slow-directory", learning("--data", "hospital.csv")...)
	await(s.sign, "there")
	s.end(t, syscall.SIGINT)
	s.check(t, cli.ExitInterrupted, "sibyl: interrupted; m.json is written\n", "m.json")
	sibyl(t, "show", filepath.Join(s.directory, "m.json"))
}

// TestIgnoredSignal checks that signals ignored by nohup are ignored.
func TestIgnoredSignal(t *testing.T) {
	s := start(t, "sh", append([]string{"-c", `trap "" HUP && exec sibyl "$@"`, "sh"}, learning("--data", "hospital.csv", "--pad-to", "300ms", "--private-log", "log")...)...)
	await(filepath.Join(s.directory, "log"), "padding")
	s.end(t, syscall.SIGHUP)
	if code := s.ProcessState.ExitCode(); code != cli.ExitDone {
		t.Errorf("exit code %d: %s", code, &s.stderr)
	}
	s.checkLeft(t, "hospital.csv", "hospital.toml", "log", "m.json")
}

// TestOneModelForEach runs several commands at the same time that write a model to the same file. One succeeds,
// and the others report that they did not write it.
func TestOneModelForEach(t *testing.T) {
	directory := t.TempDir()
	model := filepath.Join(directory, "m.json")
	for _, force := range []bool{false, true} {
		args := learning("--data", "hospital.csv", "--pad-to", "1s", "--out", model)
		if force {
			args = append(args, "--force")
		}
		var all []*started
		for range 4 {
			all = append(all, start(t, "sibyl", args...))
		}
		done := 0
		for _, s := range all {
			s.Wait()
			switch code := s.ProcessState.ExitCode(); {
			case code == cli.ExitDone:
				done++
			case code == cli.ExitUsage || code == cli.ExitNothing:
				if got := s.stderr.String(); !strings.Contains(got, "exists already") && !strings.Contains(got, "changed while the command ran") {
					t.Error(got)
				}
			default:
				t.Errorf("exit code %d: %s", code, &s.stderr)
			}
		}
		// With --force, a run that began after another ended may replace its model.
		if done == 0 || done > 1 && !force {
			t.Errorf("%d of 4 say that they wrote the model", done)
		}
		sibyl(t, "show", model)
		if left, err := os.ReadDir(directory); err != nil || len(left) != 1 {
			t.Errorf("left %v, %v", left, err)
		}
	}
}

// TestRandomKills interrupts learn at random times. Afterwards, either a complete model exists and the output names it,
// or there are no files.
func TestRandomKills(t *testing.T) {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	directory := t.TempDir()
	d, err := publish.NewDraft(t.Context(), &publish.Claims{}, filepath.Join(directory, "m.json"), false, publish.ForCurator)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Discard()
	if begun, err := os.ReadDir(directory); err == nil && len(begun) == 0 { // on this system, unpublished files have no names
		signals = append(signals, syscall.SIGKILL)
	}
	ended := map[string]int{}
	for i := range heavy.Pick(6, 48) {
		s := start(t, "sibyl", learning("--data", "hospital.csv")...)
		time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
		signal := signals[i%len(signals)]
		s.end(t, signal)
		_, err := os.Stat(filepath.Join(s.directory, "m.json"))
		said := s.stderr.String()
		switch there := err == nil; {
		case there:
			ended["with a model"]++
			sibyl(t, "show", filepath.Join(s.directory, "m.json"))
			s.checkLeft(t, "hospital.csv", "hospital.toml", "m.json")
			if strings.Contains(said, "nothing") {
				t.Errorf("%v: there is a model, but it said %q", signal, said)
			}
		default:
			ended["without one"]++
			s.checkLeft(t, "hospital.csv", "hospital.toml")
			if code := s.ProcessState.ExitCode(); code == cli.ExitDone || code == cli.ExitInterrupted && said != nothingWritten {
				t.Errorf("%v: there is no model, but code %d and %q", signal, code, said)
			}
		}
	}
	t.Log(ended)
}

// TestKillsAreCharged kills learn at random times. Every published model must be in the account, and no entry may
// disappear.
func TestKillsAreCharged(t *testing.T) {
	kills := heavy.Pick(6, 120)
	account := filepath.Join(t.TempDir(), "clinic.db")
	sibyl(t, "account", "open", "--account", account, "--epsilon", "100000", "--of", "tests")
	entered, published := 0, 0
	var whole time.Duration // the time of a run that is not killed, after a first one that fills caches
	for i := range kills + 2 {
		began := time.Now()
		s := start(t, "sibyl", learning("--data", "hospital.csv", "--account", account)...)
		if i < 2 {
			s.Wait()
			whole = time.Since(began)
		} else {
			time.Sleep(time.Duration(rand.Int64N(int64(whole))))
			s.end(t, []os.Signal{syscall.SIGKILL, syscall.SIGTERM}[i%2])
		}
		var now struct {
			Entries []struct{ Settled *time.Time }
			Spent   struct{ Epsilon string }
		}
		if err := json.Unmarshal(sibyl(t, "account", "show", "--account", account, "--json"), &now); err != nil {
			t.Fatal(err)
		}
		if len(now.Entries) < entered || len(now.Entries) > entered+1 {
			t.Fatalf("%d entries after %d", len(now.Entries), entered)
		}
		entered = len(now.Entries)
		if _, err := os.Stat(filepath.Join(s.directory, "m.json")); err == nil {
			published++
		}
		if published > entered {
			t.Fatalf("%d models of %d entries", published, entered)
		}
	}
	sibyl(t, "account", "verify", "--account", account)
	t.Logf("%d kills: %d entries, %d models", kills, entered, published)
	if published < 2 {
		t.Error("a run that nobody killed left no model")
	}
}
