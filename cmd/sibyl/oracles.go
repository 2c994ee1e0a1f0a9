package main

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/table"
)

// A minimizer is an oracle over a family's class.
type minimizer = oracle.Minimizer[table.Record, any]

// newOracle returns the oracle of that name.
func newOracle(name string, s *table.Schema, f model.Family) (minimizer, error) {
	c, err := f.Over(s)
	if err != nil {
		return nil, err
	}
	switch name {
	case "search":
		return oracle.Search(c), nil
	case "exhaustive":
		return exhaustive(c)
	}
	return nil, fmt.Errorf("--oracle %q is neither search nor exhaustive", name)
}

func exhaustive(c model.Class) (minimizer, error) {
	listed, ok := c.(class.Enumerable[table.Record, any])
	if !ok {
		return nil, fmt.Errorf("--oracle exhaustive: hypotheses of this class cannot be listed; take --oracle search")
	}
	o, err := oracle.Exhaust(listed)
	if err != nil {
		return nil, fmt.Errorf("--oracle exhaustive: %w; take --oracle search", err)
	}
	return o, nil
}
