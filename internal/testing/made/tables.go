package made

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// People returns a table in which most rows equal other rows as far as the schema is concerned: it omits the columns id
// and score, and groups the values of other columns.
func People() Table {
	works := []string{"Private", "Self-emp-inc", "Self-emp-not-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay"}
	statuses := []string{"Married-civ-spouse", "Never-married", "Divorced", "Separated", "Widowed"}
	regions := []string{"north", "south", "east", "west", "centre"}
	sexes := []string{"Female", "Male"}
	var scores []string
	for i := range 10_000 {
		scores = append(scores, fmt.Sprintf("%d.%02d", i/100, i%100))
	}
	return Table{coins: *rand.NewPCG(1, 2), group: 1_000_000, columns: []column{
		{name: "id", plain: true, draw: func(_ *rand.Rand, row, _ int) int { return row }},
		{name: "age", plain: true, domain: "cuts = [26, 36, 46, 61]", draw: among(17, 90)},
		{name: "hours", plain: true, domain: "cuts = [35, 41]", draw: among(1, 99)},
		{name: "work", texts: works, domain: listed("values", works[:3]...) + "\nother = \"other\"", draw: among(0, len(works)-1)},
		{name: "status", texts: statuses, domain: listed("values", statuses...), draw: among(0, len(statuses)-1)},
		{name: "region", texts: regions, domain: listed("values", regions...), draw: among(0, len(regions)-1)},
		{name: "sex", texts: sexes, domain: listed("values", sexes...), draw: among(0, len(sexes)-1)},
		{name: "score", texts: scores, plain: true, draw: func(r *rand.Rand, _, _ int) int { return 100*r.IntN(100) + r.IntN(100) }},
		label("outcome", []string{"no", "yes"}, among(0, 1)),
	}}
}

// Wide returns a table with the given number of independent columns and an independent label. With ten columns or more,
// nearly all rows of a large table are distinct.
func Wide(columns int) Table {
	t := Table{coins: *rand.NewPCG(3, 4), group: 250_000}
	sizes := []int{2, 3, 5, 8, 12, 20, 50, 100, 7, 4}
	for j := range columns {
		values := numbered("value ", sizes[j%len(sizes)])
		t.columns = append(t.columns, column{name: fmt.Sprintf("c%03d", j), texts: values, domain: listed("values", values...), draw: among(0, len(values)-1)})
	}
	t.columns = append(t.columns, label("outcome", []string{"no", "yes"}, among(0, 1)))
	return t
}

// Kinds returns a table whose rows are of eight kinds, on which the label depends. The attributes are integers, and
// have 2, 4, 10, 30 and 100 possible values in turn. In about half of the rows of a kind, an attribute has the value
// that is typical of this kind.
func Kinds(attributes int) Table {
	const kinds = 8
	coins := rand.NewPCG(1, uint64(attributes))
	r, sizes := rand.New(coins), []int{2, 4, 10, 30, 100}
	usual := make([][]int, kinds)
	for k := range usual {
		for j := range attributes {
			usual[k] = append(usual[k], r.IntN(sizes[j%len(sizes)]))
		}
	}
	t := Table{coins: *coins, kinds: kinds, group: 1_000_000}
	for j := range attributes {
		size := sizes[j%len(sizes)]
		t.columns = append(t.columns, column{name: fmt.Sprintf("x%d", j), domain: listed("values", numbered("", size)...), draw: func(r *rand.Rand, _, kind int) int {
			if r.IntN(2) == 0 {
				return r.IntN(size)
			}
			return usual[kind][j]
		}})
	}
	y := label("y", []string{"0", "1"}, likelier(kinds))
	y.texts = nil
	t.columns = append(t.columns, y)
	return t
}

// Mixed returns a table whose rows are of four kinds, on which all columns depend. Every second one of its 20
// attributes is an integer below 1000, with cuts into eight intervals. The others are categorical, with two to ten
// values.
func Mixed() Table {
	const kinds = 4
	t := Table{coins: *rand.NewPCG(1, 2), kinds: kinds, group: 1_000_000}
	for j := range 20 {
		c := column{name: fmt.Sprintf("x%d", j), domain: "cuts = [125, 250, 375, 500, 625, 750, 875]"}
		c.draw = func(r *rand.Rand, _, kind int) int { return (r.IntN(700) + 100*kind) % 1000 }
		if j%2 == 1 {
			c.texts = numbered("value ", 2+j%9)
			c.domain = listed("values", c.texts...)
			c.draw = func(r *rand.Rand, _, kind int) int { return r.IntN(1 + (len(c.texts)-1)*(1+kind)/kinds) }
		}
		t.columns = append(t.columns, c)
	}
	t.columns = append(t.columns, label("y", []string{"no", "yes"}, likelier(kinds)))
	return t
}

// label returns the label column of a table. The parameter texts holds the negative value and then the positive one.
// The function draw samples the label of a row: 1 for positive and 0 for negative.
func label(name string, texts []string, draw func(r *rand.Rand, row, kind int) int) column {
	return column{name: name, texts: texts, domain: listed("positive", texts[1]) + "\n" + listed("negative", texts[0]), draw: draw}
}

// among returns a function that samples an integer uniformly from least to most, for every row.
func among(least, most int) func(r *rand.Rand, row, kind int) int {
	return func(r *rand.Rand, _, _ int) int { return least + r.IntN(most-least+1) }
}

// likelier returns a function that samples 1 or 0. The probability of 1 is (kind+1)/kinds, so it increases with the
// kind of the row.
func likelier(kinds int) func(r *rand.Rand, row, kind int) int {
	return func(r *rand.Rand, _, kind int) int {
		if r.IntN(kinds) <= kind {
			return 1
		}
		return 0
	}
}

func numbered(before string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(before, i))
	}
	return all
}

// listed returns a line of TOML that sets a key to a list of texts.
func listed(key string, texts ...string) string {
	return key + ` = ["` + strings.Join(texts, `", "`) + `"]`
}
