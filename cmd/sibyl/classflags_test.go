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
	cmd := &cobra.Command{}
	f.register(cmd)
	f.registerAdditive(cmd)
	(&mechanismFlags{}).register(cmd)
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
		if cmd.Flags().Lookup(flag) == nil {
			t.Errorf("there is no --%s", flag)
		}
	}
}
