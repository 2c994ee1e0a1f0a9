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

// Points is a range of integers, and the type of a flag for it. Its text consists of the least and the greatest
// integer, as in "-1..1".
type Points struct{ Least, Most int }

// String returns the range as text, such as "-1..1".
func (p *Points) String() string { return fmt.Sprintf("%d..%d", p.Least, p.Most) }

// Set parses a range, such as "-1..1".
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

// texts is a command-line flag that may be given several times. It collects the values in order.
type texts []string

func (t *texts) String() string { return strings.Join(*t, ",") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// penalty adds the flag "penalty", the cost of each part of a hypothesis, to the flag set f. It is a parameter of
// all forms whose class is searched. The argument part names the parts that are counted, such as "attribute that
// the model uses".
func penalty(f *flag.FlagSet, p *int64, part string) {
	f.Int64Var(p, "penalty", 0, "the cost `P` of each "+part+", as a number of misclassifications; with a larger P, smaller models are preferred; 0 means no cost")
}

// treeDepth adds the flag "depth", a parameter of all classes whose hypotheses contain a tree, to the flag set f.
func treeDepth(f *flag.FlagSet, d *int) {
	f.IntVar(d, "depth", 0, "the maximum number of `levels` of the tree, which is the number of tests on a record; 0 means the greatest depth with which learning takes only a few seconds")
}

// negative returns an error if a parameter with the given name has a negative value n. The text valid describes
// the valid values in the error.
func negative(name string, n int, valid string) error {
	if n >= 0 {
		return nil
	}
	return parameter.Errorf("%s %d must be %s", parameter.Text("{"+name+"}"), n, valid)
}

// ParametersOf returns the flags, with their default values, that the function define adds to a set of flags.
// That function is the method Parameters of a FormBuilder or of a mechanism.
func ParametersOf(define func(*flag.FlagSet)) *flag.FlagSet {
	own := flag.NewFlagSet("", flag.ContinueOnError)
	define(own)
	return own
}

// SetParameters sets parameters of a FormBuilder or of a mechanism, given as pairs of a name and a value. A name
// may occur several times, and unknown names are ignored. The function define is the method Parameters of the
// FormBuilder or the mechanism.
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
