package model

import (
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// tabulate returns a class with the same hypotheses as c, which computes the costs of all hypotheses at once
// and keeps them in a table. It returns an error if the class is too large.
func tabulate[H any](c class.Tabular[table.Record, H]) (Class, error) {
	t, err := tabulated.New(c)
	if err != nil {
		return nil, err
	}
	return class.Erase(t), nil
}
