package model

import (
	"errors"
	"flag"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Points is a range of integers. As the value of a parameter it is written like "-1..1".
type Points struct{ Least, Most int }

// String formats the range.
func (p *Points) String() string { return fmt.Sprintf("%d..%d", p.Least, p.Most) }

// Set parses the range.
func (p *Points) Set(text string) error {
	least, most, found := strings.Cut(text, "..")
	lo, err := strconv.Atoi(least)
	hi, err2 := strconv.Atoi(most)
	if !found || err != nil || err2 != nil {
		return errors.New("is not a range of integers such as -1..1")
	}
	if lo > hi {
		return errors.New("is empty; write the least number first")
	}
	*p = Points{lo, hi}
	return nil
}

// texts is a parameter that may be set several times.
type texts []string

func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// penalty defines the parameter penalty of all searched forms.
func penalty(f *flag.FlagSet, p *int64) {
	f.Int64Var(p, "penalty", 0, "the cost `P` of each used attribute, literal, rule, bit or input, in misclassifications")
}

// depth defines the parameter depth of trees and formulas.
func depth(f *flag.FlagSet, d *int) {
	f.IntVar(d, "depth", 0, "the number of `levels`: tests on a record for tree, gates between an input and the result for majority and nand; 0 for 1 with majority, 2 with nand, and for tree a depth that takes seconds")
}

// negative returns an error if the parameter n is negative.
func negative(name string, n int, what string) error {
	if n >= 0 {
		return nil
	}
	return parameter.Errorf("%s %d must be %s", parameter.Text("{"+name+"}"), n, what)
}

// ParametersOf returns the parameters of an Asking or a mechanism, with the defaults.
func ParametersOf(define func(*flag.FlagSet)) *flag.FlagSet {
	own := flag.NewFlagSet("", flag.ContinueOnError)
	define(own)
	return own
}

// SetParameters sets the parameters of an Asking or a mechanism from pairs of a name and a value. It ignores names
// that are not parameters. A name may occur several times.
func SetParameters(define func(*flag.FlagSet), values iter.Seq2[string, string]) error {
	own := ParametersOf(define)
	for name, value := range values {
		if own.Lookup(name) == nil {
			continue
		}
		if err := own.Set(name, value); err != nil {
			return parameter.Errorf("%s %s: %w", parameter.Text("{"+name+"}"), quote.Word(value), err)
		}
	}
	return nil
}
