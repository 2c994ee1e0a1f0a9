package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// TestPagesRun runs the commands of the README and of the tutorial, in their order. The short form omits two things that
// other tests cover: the tutorial, whose commands also occur in the README and in scripts, and the rounds of synth.
func TestPagesRun(t *testing.T) {
	for page, ends := range map[string]string{"README.md": "left +ε = 1", "docs/tutorial/first-scorecard.md": "left +ε = 0.5"} {
		if !heavy.On() && page != "README.md" {
			continue
		}
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		var script strings.Builder
		commands := 0
		for line := range strings.Lines(string(text)) {
			command, ok := strings.CutPrefix(strings.ReplaceAll(line, `"`, "'"), "$ ")
			if !ok {
				continue
			}
			if strings.HasPrefix(command, "sibyl ") {
				script.WriteString("exits 0 ")
				commands++
			}
			if !heavy.On() {
				command = strings.ReplaceAll(command, "--rows 100000", "--rows 1000")
				command = strings.ReplaceAll(command, "sibyl synth --data", "sibyl synth --pairwise --data")
			}
			script.WriteString(command)
		}
		if commands < 10 {
			t.Fatalf("%s has %d commands", page, commands)
		}
		fmt.Fprintf(&script, "stdout '%s'\n", ends) // account show is the last command
		directory := t.TempDir()
		if err := os.WriteFile(filepath.Join(directory, "page.txtar"), []byte(script.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		testscript.Run(t, testscript.Params{Dir: directory, Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits}})
	}
}

// TestSixCommands compares the commands of the second tutorial with those of the script that runs them.
func TestSixCommands(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial/table-without-a-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/without_schema.txtar")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(page)) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands++
			if !strings.Contains(string(script), "exits 0 "+command) {
				t.Errorf("the script lacks %s", command)
			}
		}
	}
	if commands != 6 {
		t.Errorf("the page has %d commands", commands)
	}
}
