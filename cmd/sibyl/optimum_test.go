package main

import (
	"strconv"
	"testing"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// TestUnverified checks that proofs are verified if this takes at most about a minute, or on
// request.
func TestUnverified(t *testing.T) {
	var values []string
	for i := range 21 {
		values = append(values, strconv.Itoa(i))
	}
	s := &table.Schema{Attributes: []table.Attribute{{Name: "a", Column: "a", Values: values}}}
	parities := model.Parity{}
	cards := model.Scorecard{Points: model.Points{Least: -1, Most: 1}}
	balls := model.Scorecard{Points: model.Points{Least: -1, Most: 1}, Norm: 3}
	for _, test := range []struct {
		form   model.Form
		args   []string
		points int64
		nodes  int64
		left   bool
	}{
		{cards, nil, 1 << 40, 1, false},
		{cards, []string{"--verify=false"}, 1, 1, true},
		{parities, nil, mostVerified >> 20, 1, false},
		{parities, nil, mostVerified>>20 + 1, 1, true},
		{parities, []string{"--verify"}, 1 << 40, 1, false},
		{model.UnionOf([]model.Form{cards, parities}), nil, mostVerified >> 20, 1, false},
		{model.UnionOf([]model.Form{cards, parities, model.ReadOnce{}}), nil, mostVerified >> 20, 1, true},
		{cards, nil, 1, mostNodes, false},
		{cards, nil, 1, mostNodes + 1, true},
		{cards, []string{"--verify"}, 1, mostNodes + 1, false},
		{balls, nil, 1, mostNodes / 10, false},
		{balls, nil, 1, mostNodes/10 + 1, true},
		{model.UnionOf([]model.Form{cards, balls}), nil, 1, mostNodes/10 + 1, true},
	} {
		f := &optimumFlags{}
		cmd := &cobra.Command{}
		cmd.Flags().BoolVar(&f.verify, "verify", true, "")
		if err := cmd.ParseFlags(test.args); err != nil {
			t.Fatal(err)
		}
		space, err := test.form.Over(s)
		if err != nil {
			t.Fatal(err)
		}
		if why := f.unverified(cmd, space, test.points, test.nodes); (why != "") != test.left {
			t.Errorf("%+v: %q", test, why)
		}
	}
}
