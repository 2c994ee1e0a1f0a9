//go:build unix

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/made"
)

// A killed is a command that is killed while it writes a file. The function sign checks that a file with the given text
// is complete.
type killed struct {
	args []string
	out  string // the path of the file, or "" if the command writes none
	sign func(t *testing.T, text []byte)
}

var killedRows = heavy.Pick(4_000, 20_000)

func wholeModel(t *testing.T, text []byte) {
	if _, err := mechanism.Read(bytes.NewReader(text)); err != nil {
		t.Errorf("the model is not whole: %v", err)
	}
}

func wholePredictions(t *testing.T, text []byte) {
	if n := bytes.Count(text, []byte("\n")); n != killedRows+1 || text[len(text)-1] != '\n' {
		t.Errorf("%d lines of predictions, want %d", n, killedRows+1)
	}
}

func wholePage(t *testing.T, text []byte) {
	if !bytes.HasSuffix(text, []byte("</html>\n")) {
		t.Error("the page is not whole")
	}
}

// TestKill ends commands at random times. A new file is complete or does not exist, and an existing
// file is unchanged or completely replaced. After a signal that can be handled, no other files
// remain; after SIGKILL a hidden temporary file may remain.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred processes")
	}
	directory := t.TempDir()
	if err := made.People().WriteCSV(filepath.Join(directory, "d.csv"), killedRows); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(directory, "s.toml"), made.People().Schema())
	learn := []string{"learn", "--data", "d.csv", "--schema", "s.toml", "--epsilon", "1", "--class", "conjunction", "--force"}
	if output, code := ended(t, directory, append(learn, "--out", "m.json"), nil, 0); code != cli.ExitDone {
		t.Fatal(output)
	}
	for name, k := range map[string]killed{
		"learn":    {append(learn, "--out", "out"), "out", wholeModel},
		"predict":  {[]string{"predict", "--data", "d.csv", "--model", "m.json", "--out", "out", "--force"}, "out", wholePredictions},
		"optimum":  {[]string{"optimum", "--data", "d.csv", "--schema", "s.toml", "--class", "conjunction", "--out", "out", "--force"}, "out", wholeModel},
		"compare":  {[]string{"compare", "--real", "d.csv", "--synthetic", "d.csv", "--schema", "s.toml", "--out", "out", "--force"}, "out", wholePage},
		"evaluate": {[]string{"evaluate", "--data", "d.csv", "--model", "m.json"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if output, code := ended(t, directory, k.args, nil, 0); code != cli.ExitDone {
				t.Fatal(output)
			}
			whole := time.Since(start)
			if k.out != "" {
				os.Remove(filepath.Join(directory, k.out))
			}
			before := len(listed(t, directory))
			ends := map[int]int{}
			for i := range heavy.Pick(3, 24) {
				signal := []os.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT}[i%3]
				old := ""
				if i%2 == 1 && k.out != "" {
					old = "old"
					put(t, filepath.Join(directory, k.out), old)
				}
				after := time.Duration(rand.Float64() * 1.2 * float64(whole))
				output, code := ended(t, directory, k.args, signal, after)
				k.check(t, directory, old, signal, output, code, before)
				ends[code]++
				if t.Failed() {
					t.Fatalf("%v after %v: exit code %d, %q, %v", signal, after, code, output, listed(t, directory))
				}
			}
			t.Logf("of exit codes: %v, -1 being no code", ends)
		})
	}
}

// check checks the files that the command left, and removes them.
func (k killed) check(t *testing.T, directory, old string, signal os.Signal, output string, code, before int) {
	t.Helper()
	interrupted := code == cli.ExitInterrupted && strings.Count(output, "\n") == 1 && strings.HasPrefix(output, "sibyl: interrupted")
	if code != cli.ExitDone && code != -1 && !interrupted {
		t.Errorf("it ends in a way of its own")
	}
	for _, name := range listed(t, directory) {
		if strings.HasPrefix(name, ".out.") && signal == syscall.SIGKILL {
			os.Remove(filepath.Join(directory, name))
		}
	}
	if k.out != "" {
		path := filepath.Join(directory, k.out)
		text, err := os.ReadFile(path)
		switch fresh := err == nil && (old == "" || string(text) != old); {
		case err != nil && (!errors.Is(err, os.ErrNotExist) || old != ""):
			t.Errorf("the old file is gone: %v", err)
		case fresh:
			k.sign(t, text)
			if interrupted && !strings.Contains(output, "is written") {
				t.Errorf("the file is there, which is denied")
			}
		case code == cli.ExitDone:
			t.Errorf("there is no new file")
		}
		os.Remove(path)
	}
	if n := len(listed(t, directory)); n != before {
		t.Errorf("%d files are left instead of %d", n, before)
	}
}

func listed(t *testing.T, directory string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ended runs the command. If signal is not nil, it sends this signal to the command after the given time. It returns the
// standard error and the exit code of the command.
func ended(t *testing.T, directory string, args []string, signal os.Signal, after time.Duration) (output string, code int) {
	t.Helper()
	cmd := exec.Command("sibyl", args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = directory, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if signal != nil {
		time.Sleep(after)
		cmd.Process.Signal(signal)
	}
	cmd.Wait()
	return stderr.String(), cmd.ProcessState.ExitCode()
}
