// Package sumscoretest provides small classes of sum scores for tests.
package sumscoretest

import (
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
)

// A Case is a small class of sum scores with all possible records of the class.
type Case = classtest.Case[[]uint16, sumscore.Score]

// Fixed returns test cases with classes of sum scores, by name.
func Fixed() map[string]Case {
	return map[string]Case{
		"only constants":       of(1, group(1, 0)),
		"one attribute":        of(1, group(2, 0)),
		"yes or no":            of(2, group(2, 0, 1, 2)),
		"three answers":        of(2, group(3, 0, 1)),
		"more than the points": of(1, group(4, 0, 1, 2)),
		"points without a 1":   of(3, group(3, 0, 1)),
		"two groups":           of(2, group(3, 0, 2), group(2, 1, 3)),
	}
}

// Random returns a random class of at most the given number of scores, which must be at least 256.
func Random(draw classtest.Draw, most int) Case {
	for {
		var groups []sumscore.Group
		at := 0
		for range draw(1, 2) {
			g := group(draw(1, 3))
			for range draw(1, 3) {
				g.Attributes = append(g.Attributes, at)
				at++
			}
			groups = append(groups, g)
		}
		if c := of(draw(1, 3), groups...); c.Class.Size().Int64() <= int64(most) && len(c.Domain) <= 81 {
			return c
		}
	}
}

func group(categories int, attributes ...int) sumscore.Group {
	return sumscore.Group{Attributes: attributes, Categories: categories}
}

func of(most int, groups ...sumscore.Group) Case {
	c, err := sumscore.New(groups, most)
	if err != nil {
		panic(err)
	}
	var sizes []int
	for _, g := range groups {
		for range g.Attributes {
			sizes = append(sizes, 0)
		}
	}
	for _, g := range groups {
		for _, j := range g.Attributes {
			sizes[j] = g.Categories
		}
	}
	return Case{Class: c, Domain: classtest.Records(sizes)}
}
