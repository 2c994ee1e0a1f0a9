package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// classFlags say what is learned: a schema, a class over it, and a loss. All of
// it is public.
type classFlags struct {
	schema    string
	class     string
	points    string
	most      int
	penalty   int64
	threshold int
	monotone  []string
	loss      learn.Loss
}

func (f *classFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.schema, "schema", "", "the schema, a TOML `file`: the public domain of the data")
	flags.StringVar(&f.class, "class", "scorecard", "the class to choose from; scorecard is the only one")
	flags.StringVar(&f.points, "points", "-1..1", "the points that a category may have, as a `range`")
	flags.IntVar(&f.most, "attributes", 0, "use at most `K` attributes; 0 for no limit")
	flags.Int64Var(&f.penalty, "penalty", 0, "charge `P` errors for every attribute used")
	flags.IntVar(&f.threshold, "threshold", 1, "the total `T` from which the prediction is positive")
	flags.StringArrayVar(&f.monotone, "monotone", nil, "keep the points of an `attribute` from falling along its categories in the schema's order, or with NAME:down from rising; repeatable")
	flags.Int64Var(&f.loss.FalsePositive, "false-positive", 1, "the `cost` of a wrong positive prediction")
	flags.Int64Var(&f.loss.FalseNegative, "false-negative", 1, "the `cost` of a wrong negative prediction")
	must(cmd.MarkFlagRequired("schema"))
}

// read returns the schema and the class.
func (f *classFlags) read(cmd *cobra.Command) (*table.Schema, model.Family, error) {
	c := model.Scorecard{Threshold: f.threshold, Penalty: f.penalty, Most: f.most}
	if f.class != "scorecard" {
		return nil, c, fmt.Errorf("--class %q is unknown; the class is scorecard", f.class)
	}
	if err := f.loss.Validate(); err != nil {
		return nil, c, fmt.Errorf("--false-positive and --false-negative must be whole costs within 1..%d", learn.MostLoss)
	}
	if f.most < 0 {
		return nil, c, fmt.Errorf("--attributes %d must be a number of attributes, or 0 for no limit", f.most)
	}
	var err error
	if c.Points, err = parsePoints(f.points); err != nil {
		return nil, c, err
	}
	s, err := readSchema(f.schema)
	if err != nil {
		return nil, c, err
	}
	for _, name := range f.monotone {
		found, err := parseMonotone(name, s)
		if err != nil {
			return nil, c, err
		}
		c.Monotone = append(c.Monotone, found...)
	}
	return s, c, nil
}

func parsePoints(text string) (model.Points, error) {
	least, most, found := strings.Cut(text, "..")
	lo, err := strconv.Atoi(least)
	hi, err2 := strconv.Atoi(most)
	if !found || err != nil || err2 != nil {
		return model.Points{}, fmt.Errorf("--points %q is no range of whole numbers such as -1..1", text)
	}
	if lo > hi {
		return model.Points{}, fmt.Errorf("--points %q is empty; write the least number first", text)
	}
	return model.Points{Least: lo, Most: hi}, nil
}

// parseMonotone finds the attributes of that name, or those of that column.
func parseMonotone(text string, s *table.Schema) ([]model.Monotone, error) {
	found := attributesOf(text, s)
	down := false
	if found == nil {
		name, up := strings.CutSuffix(text, ":up")
		name, down = strings.CutSuffix(name, ":down")
		if up != down {
			found = attributesOf(name, s)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("--monotone %q names no attribute or column of the schema (write NAME, NAME:up or NAME:down)", text)
	}
	out := make([]model.Monotone, len(found))
	for i, name := range found {
		out[i] = model.Monotone{Attribute: name, Down: down}
	}
	return out, nil
}

func attributesOf(name string, s *table.Schema) []string {
	var byColumn []string
	for j := range s.Attributes {
		a := &s.Attributes[j]
		if a.Name == name {
			return []string{name}
		}
		if a.Column == name {
			byColumn = append(byColumn, a.Name)
		}
	}
	return byColumn
}
