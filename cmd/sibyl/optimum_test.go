package main

import (
	"strconv"
	"testing"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// TestUnverified checks that proofs by tables are verified where that takes no
// more than about a minute, or where the person asks for it.
func TestUnverified(t *testing.T) {
	var values []string
	for i := range 21 {
		values = append(values, strconv.Itoa(i))
	}
	s := &table.Schema{Attributes: []table.Attribute{{Name: "a", Column: "a", Values: values}}}
	parities := model.Parity{}
	cards := model.Scorecard{Points: model.Points{Least: -1, Most: 1}}
	for _, test := range []struct {
		family model.Family
		args   []string
		points int64
		left   bool
	}{
		{cards, nil, 1 << 40, false},
		{cards, []string{"--verify=false"}, 1, true},
		{parities, nil, mostVerified >> 20, false},
		{parities, nil, mostVerified>>20 + 1, true},
		{parities, []string{"--verify"}, 1 << 40, false},
		{model.UnionOf([]model.Family{cards, parities}), nil, mostVerified >> 20, false},
		{model.UnionOf([]model.Family{cards, parities, model.ReadOnce{}}), nil, mostVerified >> 20, true},
	} {
		f := &optimumFlags{}
		cmd := &cobra.Command{}
		cmd.Flags().BoolVar(&f.verify, "verify", true, "")
		if err := cmd.ParseFlags(test.args); err != nil {
			t.Fatal(err)
		}
		why, err := f.unverified(cmd, s, test.family, test.points)
		if err != nil || (why != "") != test.left {
			t.Errorf("%+v: %q, %v", test, why, err)
		}
	}
}
