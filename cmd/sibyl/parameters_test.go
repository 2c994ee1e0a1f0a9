package main

import (
	"flag"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Commands and models use the same names for classes. Every parameter of a class or mechanism is a
// flag of learn. A parameter has the same default for all classes and mechanisms that have it.
func TestParameters(t *testing.T) {
	learn := newLearn()
	defaults := map[string]string{}
	check := func(o owner) {
		o.flags().VisitAll(func(f *flag.Flag) {
			if learn.Flags().Lookup(f.Name) == nil {
				t.Errorf("there is no --%s", f.Name)
			}
			if usual, known := defaults[f.Name]; known && usual != f.DefValue {
				t.Errorf("--%s is %s of %s, and %s of others", f.Name, f.DefValue, o.name, usual)
			}
			defaults[f.Name] = f.DefValue
		})
	}
	for _, k := range model.Kinds() {
		form, err := k.New().Form(&table.Schema{})
		if err != nil {
			t.Fatal(err)
		}
		if form.Name() != k.Name {
			t.Errorf("--class %s makes a model of the class %s", k.Name, form.Name())
		}
		check(ownerOf(k))
		for _, m := range mechanism.Kinds(k) {
			check(ownerOfMechanism(k, m))
		}
	}
}

// If the first argument is a command, only this command is created, with the same flags as when all commands are
// created. Otherwise all commands are created.
func TestCommandIsMadeAlone(t *testing.T) {
	flags := func(c *cobra.Command) (names []string) {
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name+"="+f.DefValue) })
		return names
	}
	for _, args := range [][]string{nil, {"--json", "learn"}, {"help", "learn"}, {"lern"}, {"__complete", "learn", "--"}} {
		root := newRoot(args)
		if n := len(root.Commands()); n != len(commands()) {
			t.Errorf("%q: %d commands of %d", args, n, len(commands()))
		}
		for _, c := range commands() {
			alone := newRoot([]string{c.name, "--json"}).Commands()
			one, _, err := root.Find([]string{c.name})
			if err != nil || len(alone) != 1 || alone[0].Name() != c.name || one.Name() != c.name || !slices.Equal(flags(one), flags(alone[0])) {
				t.Errorf("%s: alone there are %d commands: %v", c.name, len(alone), err)
			}
		}
	}
}
