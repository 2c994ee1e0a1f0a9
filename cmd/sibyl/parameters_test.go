package main

import (
	"flag"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Commands and models call classes the same, every parameter of a class or a mechanism is
// a flag of learn, and what a parameter is by default it is for all that have it.
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
		form, err := k.Ask().Form(&table.Schema{})
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
