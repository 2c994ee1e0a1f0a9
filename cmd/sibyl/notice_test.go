package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var required = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+) v\d`)

// TestNotice compares NOTICE with the modules that go.mod requires.
func TestNotice(t *testing.T) {
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{"github.com/sibyl-dp/sibyl": true}
	for line := range strings.Lines(string(notice)) {
		if fields := strings.Fields(line); len(fields) > 2 && strings.HasPrefix(line, "  ") {
			named[fields[0]] = true
		}
	}
	found := 0
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range required.FindAllStringSubmatch(string(text), -1) {
		found++
		if !named[module[1]] {
			t.Errorf("NOTICE does not name %s, which go.mod requires; add its licence", module[1])
		}
	}
	if found < 20 {
		t.Errorf("found %d modules", found)
	}
}
