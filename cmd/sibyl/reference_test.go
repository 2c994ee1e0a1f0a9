package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
)

// reference is the path of the page that lists all classes and mechanisms with their parameters.
const reference = "../../docs/reference/classes.md"

// TestReference derives the page from the descriptions of the parameters. With -update it writes
// the page.
func TestReference(t *testing.T) {
	var page bytes.Buffer
	say := func(format string, args ...any) { fmt.Fprintf(&page, format, args...) }
	learn := newLearn()
	table := func(o owner) {
		var rows []string
		for _, name := range slices.Sorted(slices.Values(namesOf(o))) {
			f := o.described(learn.Flags().Lookup(name))
			hint, usage := pflag.UnquoteUsage(f)
			usual := f.DefValue
			if usual != "" {
				usual = "`" + usual + "`"
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", strings.TrimSpace("--"+name+" "+hint), usual, strings.ReplaceAll(usage, "|", "\\|")))
		}
		if len(rows) > 0 {
			say("\n| parameter | default | meaning |\n|---|---|---|\n%s", strings.Join(rows, ""))
		}
	}
	say("# Classes and mechanisms\n\nThis page lists the values of `--class` and `--mechanism` with their parameters, and the formats of `export`. A test generates\nit from the descriptions in the code. `sibyl learn CLASS --help` prints the same text. A mechanism whose description says δ = 0 guarantees pure ε-differential privacy.\n\n## Classes\n")
	var mechanisms []mechanism.Kind
	for _, k := range model.Kinds() {
		var names []string
		for _, m := range mechanism.Kinds(k) {
			names = append(names, m.Name)
			if !slices.ContainsFunc(mechanisms, func(o mechanism.Kind) bool { return o.What == m.What }) {
				mechanisms = append(mechanisms, m)
			}
		}
		say("\n### %s\n\n%s\n\nMechanisms, the default first: %s.\n", k.Name, sentence(k.What), strings.Join(names, ", "))
		table(ownerOf(k))
	}
	say("\n## Mechanisms\n")
	for _, m := range mechanisms {
		var names []string
		for _, k := range model.Kinds() {
			if m.For(k) {
				names = append(names, k.Name)
			}
		}
		say("\n### %s, for %s\n\n%s\n", m.Name, strings.Join(names, ", "), sentence(m.What))
		table(ownerOfMechanism(model.Kind{}, m))
	}
	say("\n## Formats of export\n")
	for _, f := range export.Formats {
		say("\n### %s\n\n%s\n", f.Name, sentence(f.What))
	}
	say("\n| flag | default | meaning |\n|---|---|---|\n")
	newExport().Flags().VisitAll(func(f *pflag.Flag) {
		hint, usage := pflag.UnquoteUsage(f)
		say("| `%s` | `%s` | %s |\n", strings.TrimSpace("--"+f.Name+" "+hint), f.DefValue, usage)
	})
	if *update {
		if err := os.WriteFile(reference, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(reference); err != nil || !bytes.Equal(text, page.Bytes()) {
		t.Errorf("docs/reference/classes.md is not what the descriptions say (%v); run this test with -update", err)
	}
}

// sentence returns a description with a capital letter at its beginning, which is an ASCII letter, and a full stop.
func sentence(what string) string { return strings.ToUpper(what[:1]) + what[1:] + "." }

// namesOf lists the parameters of a class or a mechanism.
func namesOf(o owner) (names []string) {
	o.flags().VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}
