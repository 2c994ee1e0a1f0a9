// Package mechanismtest holds the fixtures that tests of mechanisms share.
package mechanismtest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// Signs are the points -1, 0 and 1. Plain is the form of scorecards with these points.
var (
	Signs = model.Points{Least: -1, Most: 1}
	Plain = model.Scorecard{Points: Signs, Threshold: 1}
)

// Schema returns a schema with two attributes, of three and two values. Every class over it is small.
func Schema(t testing.TB) *table.Schema { return parse(t, age+home) }

// Towns returns a schema with one attribute more than Schema, which has three categories: two
// groups of towns, and all other towns.
func Towns(t testing.TB) *table.Schema { return parse(t, age+town+home) }

const (
	age = `
[[attribute]]
column = "age"
cuts = [30, 50]
`
	town = `
[[attribute]]
column = "town"
groups = { z = ["Zürich", "Zug"], a = ["Aarau"] }
other = "elsewhere"
`
	home = `
[[attribute]]
column = "home"
values = ["own", "rent"]
`
)

func parse(t testing.TB, attributes string) *table.Schema {
	t.Helper()
	return tabletest.Schema(t, `
name = "test"
[label]
column = "ill"
positive = ["yes"]
negative = ["no"]
`+attributes)
}
