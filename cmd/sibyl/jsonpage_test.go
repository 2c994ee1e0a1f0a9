//go:build unix

package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// jsonPage is the path of the page that lists the keys in the output of each command with --json. The part of the page
// above the line generated is written by hand.
const (
	jsonPage  = "../../docs/reference/json-interface.md"
	generated = "<!-- The rest of this page is generated: go test ./cmd/sibyl -run JSONInterface -update -->\n"
)

// printed lists the types of the output of each command.
var printed = []struct {
	command string
	outputs []jsonOutput
}{
	{"learn", one(learned{})},
	{"plan", []jsonOutput{{"for one value of ε", planned{}}, {"for several values of ε", severalPlans[planned]{}}}},
	{"plan synth", []jsonOutput{{"for one value of ε", plannedSynth{}}, {"for several values of ε", severalPlans[plannedSynth]{}}}},
	{"plan pairs", one(plannedPairs{})},
	{"show", []jsonOutput{{"for a model of `learn`", shown{}}, {"with `--rules`", ruled{}}, {"for a model of `synth`", shownSynthetic{}}, {"for an evaluation of a label with two classes", binaryJSON{}}, {"for an evaluation of a label with more than two classes", multiclassJSON{}}}},
	{"predict", one(predicted{})},
	{"evaluate", []jsonOutput{{"for a label with two classes", binaryJSON{}}, {"for a label with more than two classes", multiclassJSON{}}}},
	{"export", one(exportedModel{})},
	{"synth", one(synthesised{})},
	{"ask", one(answered{})},
	{"pairs", one(paired{})},
	{"compare", one(report.Comparison{})},
	{"optimum", one(optimal{})},
	{"online", one(followed{})},
	{"check", one(checked{})},
	{"count", one(counted{})},
	{"schema new", one(drafted{})},
	{"schema import", one(drafted{})},
	{"schema profile", []jsonOutput{{"without `--plan`", profiled{}}, {"with `--plan`", plannedProfile{}}}},
	{"account open", one(shownAccount{})},
	{"account show", one(shownAccount{})},
	{"account export", one(account.Statement{})},
	{"account verify", one(verified{})},
	{"version", one(versions{})},
}

// notPrinted lists the commands whose output with --json is not part of the JSON interface.
var notPrinted = []string{"demo", "serve", "help", "completion"}

// A jsonOutput is a type of the output of a command: value is a value of this type, and when states when it is printed.
type jsonOutput struct {
	when  string
	value any
}

func one(value any) []jsonOutput { return []jsonOutput{{"", value}} }

// A key is a line of the page.
type key struct {
	path, kind string
	optional   bool
}

// TestJSONInterface derives the page from the types of the outputs, and checks that the commands print the keys on
// the page and no others. With -update it writes the page.
func TestJSONInterface(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(generated)
	say := func(format string, args ...any) { fmt.Fprintf(&page, format, args...) }
	list := func(outputs []jsonOutput) {
		for _, o := range outputs {
			if o.when != "" {
				say("\nThe output %s:\n", o.when)
			}
			say("\n| key | value |\n|---|---|\n")
			for _, k := range keysOf(reflect.TypeOf(o.value), "", nil) {
				say("| `%s` | %s |\n", k.path, k.kind)
			}
		}
	}
	say("\n## Failures\n")
	list(one(cli.Failure{}))
	for _, p := range printed {
		say("\n## sibyl %s\n", p.command)
		list(p.outputs)
	}
	text, err := os.ReadFile(jsonPage)
	if err != nil {
		t.Fatal(err)
	}
	byHand, tables, _ := strings.Cut(string(text), generated)
	if *update {
		if err := os.WriteFile(jsonPage, append([]byte(byHand), page.Bytes()...), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if generated+tables != page.String() {
		t.Errorf("docs/reference/json-interface.md does not have the keys of the commands; run this test with -update")
	}
	checkVersion(t, byHand)
	checkComplete(t)
	checkPrinted(t)
}

// checkVersion checks that the page states the version.
func checkVersion(t *testing.T, page string) {
	if !strings.Contains(page, fmt.Sprintf("This page describes version %d.", jsonVersion)) {
		t.Errorf("the page does not state version %d", jsonVersion)
	}
}

// checkComplete checks that the lists contain every command.
func checkComplete(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "sibyl ")
		if slices.ContainsFunc(notPrinted, func(not string) bool { return name == not || strings.HasPrefix(name, not+" ") }) {
			return
		}
		if c.HasParent() && !known(name) && (!c.HasSubCommands() || name == "plan") {
			t.Errorf("the page does not list sibyl %s", name)
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(nil))
}

func known(command string) bool { return outputsOf(command) != nil }

func outputsOf(command string) []jsonOutput {
	for _, p := range printed {
		if p.command == command {
			return p.outputs
		}
	}
	return nil
}

// checkPrinted runs the commands and compares the keys that they print.
func checkPrinted(t *testing.T) {
	enterSuite(t)
	lines := slices.Concat(commandsOfSuite, []string{
		"plan --schema y.toml --rows 100 --epsilon 0.1,1",
		"schema profile --schema open.toml --epsilon 1 --plan",
		"learn conjunction --data d.csv --schema y.toml --epsilon 1 --insecure-seed 1 --out new.json",
		"export m.json",
	})
	for _, line := range lines {
		args := append(strings.Fields(line), "--json")
		if args[0] == "serve" {
			continue
		}
		cmd, _, err := newRoot(args).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(sibyl(t, args...), &value); err != nil {
			t.Fatalf("sibyl %s: %v", line, err)
		}
		checkKeys(t, line, value, outputsOf(strings.TrimPrefix(cmd.CommandPath(), "sibyl ")))
		for _, path := range []string{"new.json", "new.toml", "new.csv", "new.parquet", "new.html", "new.sql", "new.db", "new"} {
			os.RemoveAll(path)
		}
	}
	var value any
	var stdout, stderr bytes.Buffer
	run([]string{"learn", "--json"}, strings.NewReader(""), &stdout, &stderr)
	if err := json.Unmarshal(stdout.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	checkKeys(t, "learn", value, one(cli.Failure{}))
}

// checkKeys checks the keys of a value, which must be one of the outputs.
func checkKeys(t *testing.T, line string, value any, outputs []jsonOutput) {
	t.Helper()
	var faults []string
	for _, o := range outputs {
		keys := keysOf(reflect.TypeOf(o.value), "", nil)
		have := map[string]bool{}
		flatten(value, "", have)
		var wrong []string
		for path := range have {
			if !slices.ContainsFunc(keys, func(k key) bool {
				return k.path == path || strings.Contains(k.kind, "see formats") && (strings.HasPrefix(path, k.path+".") || strings.HasPrefix(path, k.path+"["))
			}) {
				wrong = append(wrong, path+" is not on the page")
			}
		}
		for _, k := range keys {
			if !k.optional && !strings.ContainsAny(k.path, ".[") && !have[k.path] {
				wrong = append(wrong, k.path+" is not printed")
			}
		}
		if len(wrong) == 0 {
			return
		}
		faults = append(faults, fmt.Sprintf("%T: %s", o.value, strings.Join(wrong, ", ")))
	}
	t.Errorf("sibyl %s: %s", line, strings.Join(faults, "; or "))
}

// flatten collects the paths of all keys of a value.
func flatten(value any, at string, have map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			path := strings.TrimPrefix(at+"."+name, ".")
			have[path] = true
			flatten(inner, path, have)
		}
	case []any:
		for _, inner := range v {
			flatten(inner, at+"[]", have)
		}
	}
}

var (
	writesText = reflect.TypeFor[encoding.TextMarshaler]()
	writesJSON = reflect.TypeFor[json.Marshaler]()
	wholeType  = reflect.TypeFor[big.Int]()
)

// keysOf lists the keys in the JSON form of a struct, including those of the structs inside it. The types in above contain
// this struct; if they occur inside it again, their keys are not listed again.
func keysOf(of reflect.Type, at string, above []reflect.Type) (keys []key) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || name == "" && !f.Anonymous && !f.IsExported():
			continue
		case name == "" && f.Anonymous:
			inner := keysOf(f.Type, at, above)
			if f.Type.Kind() == reflect.Pointer {
				for j := range inner {
					inner[j].optional = true
				}
			}
			keys = append(keys, inner...)
			continue
		case name == "":
			name = f.Name
		}
		k := key{path: strings.TrimPrefix(at+"."+name, "."), optional: strings.Contains(rest, "omitempty")}
		kind, path, inner := kindOfJSON(f.Type, k.path)
		k.kind = kind
		if !k.optional && f.Type.Kind() == reflect.Pointer {
			k.kind += ", or null"
		}
		if inner != nil && (slices.Contains(above, inner) || inner == of) {
			k.kind += " of the same keys"
			inner = nil
		}
		if k.optional {
			k.kind += "; optional"
		}
		keys = append(keys, k)
		if inner != nil {
			keys = append(keys, keysOf(inner, path, append(slices.Clone(above), of))...)
		}
	}
	return keys
}

// kindOfJSON describes the JSON form of the type t of a value at the path at. For a struct or a list of structs it
// also returns the struct's type and the path of its keys.
func kindOfJSON(t reflect.Type, at string) (kind, path string, inner reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	pointer := reflect.PointerTo(t)
	switch {
	case t == wholeType:
		return "whole number", "", nil
	case pointer.Implements(writesJSON):
		return "see formats", "", nil
	case pointer.Implements(writesText):
		return "text", "", nil
	}
	switch t.Kind() {
	case reflect.String:
		return "text", "", nil
	case reflect.Bool:
		return "true or false", "", nil
	case reflect.Float32, reflect.Float64:
		return "number", "", nil
	case reflect.Slice, reflect.Array:
		kind, path, inner := kindOfJSON(t.Elem(), at+"[]")
		return "list: " + kind, path, inner
	case reflect.Struct:
		return "object", at, t
	case reflect.Interface, reflect.Map:
		return "see formats", "", nil
	}
	return "whole number", "", nil
}
