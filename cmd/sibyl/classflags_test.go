package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/table"
)

// TestClassNames checks that commands and models call classes the same, and that
// every flag of a class exists.
func TestClassNames(t *testing.T) {
	f := &classFlags{}
	f.register(&cobra.Command{})
	learn, plan := newLearn(), newPlan()
	for _, name := range classNames {
		family, err := f.family(name, &table.Schema{})
		if err != nil {
			t.Fatal(err)
		}
		if family.Name() != name {
			t.Errorf("--class %s makes a model of the class %s", name, family.Name())
		}
	}
	for flag := range classesWith {
		if learn.Flags().Lookup(flag) == nil && plan.Flags().Lookup(flag) == nil {
			t.Errorf("there is no --%s", flag)
		}
	}
}
