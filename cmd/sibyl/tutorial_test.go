package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTutorial runs the commands of the tutorial, in their order.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial/first-scorecard.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	commands := 0
	for line := range strings.Lines(string(page)) {
		command, ok := strings.CutPrefix(strings.ReplaceAll(line, `"`, "'"), "$ ")
		if !ok {
			continue
		}
		if strings.HasPrefix(command, "sibyl ") {
			script.WriteString("exits 0 ")
			commands++
		}
		script.WriteString(command)
	}
	if commands < 10 {
		t.Fatalf("the page has %d commands", commands)
	}
	script.WriteString("stdout 'left +ε = 0.5'\n") // of account show, the last
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "tutorial.txtar"), []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Dir: directory, Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits}})
}
