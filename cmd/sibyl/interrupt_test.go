package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestInterrupt interrupts learn while it waits for its release, and while it
// waits for data that never comes.
func TestInterrupt(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		signs string // in the private log when it is time
		stuck bool
	}{
		"padding": {args: []string{"--data", "hospital.csv", "--pad-to", "1h"}, signs: "padding"},
		"reading": {args: []string{"--data", "-"}, signs: "reading", stuck: true},
	} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
			t.Run(name+" "+signal.String(), func(t *testing.T) {
				directory := t.TempDir()
				for _, file := range []string{"hospital.csv", "hospital.toml"} {
					text, err := sample.ReadFile("sample/" + file)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(directory, file), text, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command("sibyl", append(test.args, "learn", "--schema", "hospital.toml", "--epsilon", "1", "--out", "m.json", "--private-log", "log")...)
				var stdout, stderr bytes.Buffer
				cmd.Dir, cmd.Stdout, cmd.Stderr = directory, &stdout, &stderr
				if test.stuck {
					if _, err := cmd.StdinPipe(); err != nil {
						t.Fatal(err)
					}
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				log := filepath.Join(directory, "log")
				for {
					text, _ := os.ReadFile(log)
					if strings.Contains(string(text), test.signs) {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
					t.Errorf("exit code %d", code)
				}
				if got := stdout.String() + stderr.String(); got != "sibyl: interrupted; nothing was written\n" {
					t.Errorf("printed %q", got)
				}
				left, err := os.ReadDir(directory)
				if err != nil || len(left) != 3 {
					t.Errorf("left %v, %v", left, err)
				}
			})
		}
	}
}
