package main

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/quote"
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
	negated   bool
	intervals bool
	positive  bool
	rules     int
	literals  int
	affine    bool
	digits    bool
	depth     int
	distance  int
	norm      int
	balanced  bool
	scale     int
	loss      learn.Loss
}

// classNames are the classes, in the order in which people meet them.
var classNames = []string{"scorecard", "halfspace", "conjunction", "disjunction", "decision-list", "parity", "majority", "nand"}

// additiveNames are the classes that are not searched, all but the first linear.
var additiveNames = []string{model.NaiveBayes, model.Logistic, model.SVM, model.LeastSquares}

// classHelp tells what they are.
const classHelp = `The classes:
  scorecard      whole points for each category of each attribute, added up
  halfspace      the same, with one weight for all intervals of an attribute
  conjunction    positive if all of some conditions hold
  disjunction    positive if at least one of some conditions holds
  decision-list  a few rules, of which the first that applies decides
  parity         positive if an odd number of some conditions holds
  majority       positive if two of three conditions hold, or of three such formulas
  nand           trees of NAND gates over conditions: with depth 2, "a and b, or c and d"
  union:A,B,...  all of these: which class it is, is chosen privately too`

// additiveHelp tells of those that are not searched.
const additiveHelp = `
These have any whole points, in which a mechanism of their own writes its result:
  naive-bayes    the logarithms of odds that counts give (statistical)
  logistic       the weights of logistic regression (dpsgd, opsamp or exponential)
  svm            those of a support vector machine (opsamp or exponential)
  least-squares  those of least squares (opsamp)`

// classesWith lists, for each flag that not all classes have, those that do.
var classesWith = map[string][]string{
	"points":         {"scorecard", "halfspace"},
	"threshold":      {"scorecard", "halfspace"},
	"monotone":       {"scorecard"},
	"norm":           {"scorecard", "halfspace"},
	"attributes":     {"scorecard", "halfspace", "conjunction", "disjunction", "parity"},
	"penalty":        classNames,
	"false-positive": classNames,
	"false-negative": classNames,
	"scale":          additiveNames,
	"boost":          classNames,
	"sample":         classNames,
	"sample-rate":    classNames,
	"columns":        additiveNames[1:],
	"bound":          additiveNames[1:],
	"ridge":          additiveNames[1:3],
	"negated":        {"conjunction", "disjunction", "decision-list"},
	"intervals":      {"conjunction", "disjunction", "decision-list"},
	"positive":       {"conjunction", "disjunction", "decision-list"},
	"rules":          {"decision-list"},
	"literals":       {"decision-list"},
	"affine":         {"parity"},
	"digits":         {"parity"},
	"depth":          {"majority", "nand"},
	"distance":       {"scorecard", "halfspace", "conjunction", "disjunction"},
}

func (f *classFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	pathVar(flags, &f.schema, "schema", "the schema, a TOML `file`: the public domain of the data")
	flags.StringVar(&f.class, "class", "scorecard", "the `class`: "+strings.Join(classNames, ", ")+", or a union such as union:scorecard,conjunction, of which the mechanism chooses one too")
	flags.StringVar(&f.points, "points", "-1..1", "of scorecards and halfspaces: the points that a category may have, as a `range`")
	flags.IntVar(&f.most, "attributes", 0, "use at most `K` attributes, or bits of a parity; 0 for no limit")
	flags.IntVar(&f.norm, "norm", 0, "of scorecards and halfspaces: the squares of all points add up to at most `R`; 0 for no limit")
	flags.Int64Var(&f.penalty, "penalty", 0, "charge `P` errors for every attribute, literal, rule, bit or input used")
	flags.IntVar(&f.threshold, "threshold", 1, "of scorecards and halfspaces: the total `T` from which the prediction is positive")
	flags.StringArrayVar(&f.monotone, "monotone", nil, "of scorecards: keep the points of an `attribute` from falling along its categories in the schema's order, or with NAME:down from rising; repeatable")
	flags.BoolVar(&f.negated, "negated", false, "of formulas and lists: conditions may also be \"is not\"")
	flags.BoolVar(&f.intervals, "intervals", false, "of formulas and lists: conditions on attributes with cuts may also be intervals")
	flags.BoolVar(&f.positive, "positive", false, "of formulas and lists: the only condition on an attribute of two categories is that it is the second")
	flags.IntVar(&f.rules, "rules", 3, "of decision lists: at most `K` rules; 0 for no limit")
	flags.IntVar(&f.literals, "literals", 1, "of decision lists: at most `1 or 2` conditions for each rule")
	flags.BoolVar(&f.affine, "affine", false, "of parities: their negations too")
	flags.BoolVar(&f.digits, "digits", false, "of parities: the bits are the binary digits of a category's number, instead of one for each category")
	flags.IntVar(&f.depth, "depth", 0, "of majority and nand: `gates` from an input to the result; 0 for 1 with majority and 2 with nand")
	flags.IntVar(&f.distance, "distance", 0, "of the separator, for rspm, opdisc and prsma: hypotheses differ in at least `H` bits; 0 for the plain one")
	flags.Int64Var(&f.loss.FalsePositive, "false-positive", 1, "the `cost` of a wrong positive prediction")
	flags.Int64Var(&f.loss.FalseNegative, "false-negative", 1, "the `cost` of a wrong negative prediction")
	must(cmd.MarkFlagRequired("schema"))
}

// registerBalanced is for commands that know a rate.
func (f *classFlags) registerBalanced(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.balanced, "balanced", false, "of unions: charge each class for its size, so that the exponential mechanism gives all about the same chance at the start")
}

// registerAdditive is for commands that know more than classes to search.
func (f *classFlags) registerAdditive(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.scale, "scale", 100, "of naive-bayes, logistic, svm and least-squares: `points` to a weight of 1, which for the first two is odds of e (with exponential, 1 unless set)")
	flag := cmd.Flags().Lookup("class")
	flag.Usage += "; or " + strings.Join(additiveNames, ", ")
}

// additive tells whether the class is not searched.
func (f *classFlags) additive() bool { return slices.Contains(additiveNames, f.class) }

// readAdditive returns the schema and the form of an additive class.
func (f *classFlags) readAdditive(cmd *cobra.Command) (*table.Schema, model.Additive, error) {
	form := model.Additive{Kind: f.class, Scale: f.scale}
	if err := f.checkStray(cmd, []string{f.class}); err != nil {
		return nil, form, err
	}
	if f.balanced {
		return nil, form, errUnbalanced
	}
	if f.scale < 1 || f.scale > model.MostScale {
		return nil, form, fmt.Errorf("--scale %d is outside 1..%d", f.scale, model.MostScale)
	}
	s, err := readSchema(f.schema)
	return s, form, err
}

// read returns the schema and the class. A balanced union needs the rate of the
// exponential mechanism, nil where there is none.
func (f *classFlags) read(cmd *cobra.Command, rate *big.Rat) (*table.Schema, model.Family, error) {
	names, isUnion := f.names()
	if err := f.check(cmd, names, isUnion); err != nil {
		return nil, nil, err
	}
	s, err := readSchema(f.schema)
	if err != nil {
		return nil, nil, err
	}
	if !isUnion {
		family, err := f.family(f.class, s)
		return s, family, err
	}
	var members []model.Family
	for _, name := range names {
		family, err := f.family(name, s)
		if err != nil {
			return nil, nil, err
		}
		members = append(members, family)
	}
	if !f.balanced {
		return s, model.UnionOf(members), nil
	}
	if rate == nil {
		return nil, nil, fmt.Errorf("--balanced goes with --mechanism exponential: the charges follow from its rate, and no other has one")
	}
	family, err := model.BalancedUnion(rate, s, members)
	return s, family, err
}

// errUnbalanced reports --balanced where there is no union.
var errUnbalanced = errors.New("--balanced goes with a union such as --class union:scorecard,conjunction")

// names returns the classes asked for, and whether their union is.
func (f *classFlags) names() (names []string, union bool) {
	list, union := strings.CutPrefix(f.class, "union:")
	if !union {
		return []string{f.class}, false
	}
	return strings.Split(list, ","), true
}

// check reports what is wrong with the flags without the schema.
func (f *classFlags) check(cmd *cobra.Command, names []string, isUnion bool) error {
	for i, name := range names {
		if !slices.Contains(classNames, name) {
			return fmt.Errorf("--class %s is unknown; it is one of %s, or a union such as union:scorecard,conjunction", quote.Word(name), strings.Join(classNames, ", "))
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("--class %s: a union has each class once", quote.Word(f.class))
		}
	}
	if err := f.checkStray(cmd, names); err != nil {
		return err
	}
	switch {
	case f.balanced && !isUnion:
		return errUnbalanced
	case f.loss.Validate() != nil:
		return fmt.Errorf("--false-positive and --false-negative must be whole costs within 1..%d", learn.MostLoss)
	case f.most < 0:
		return fmt.Errorf("--attributes %d must be a number of attributes, or 0 for no limit", f.most)
	case f.norm < 0:
		return fmt.Errorf("--norm %d must be a number, or 0 for no limit", f.norm)
	case f.norm > 0 && (f.penalty != 0 || f.most != 0):
		return errors.New("--norm goes with neither --penalty nor --attributes")
	case f.rules < 0:
		return fmt.Errorf("--rules %d must be a number of rules, or 0 for no limit", f.rules)
	case f.literals != 1 && f.literals != 2:
		return fmt.Errorf("--literals %d must be 1 or 2", f.literals)
	case f.depth < 0:
		return fmt.Errorf("--depth %d must be a number of gates", f.depth)
	case f.distance < 0:
		return fmt.Errorf("--distance %d must be a number of bits", f.distance)
	}
	return nil
}

// checkStray reports a flag that goes with none of the classes.
func (f *classFlags) checkStray(cmd *cobra.Command, names []string) (stray error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		with, listed := classesWith[flag.Name]
		if listed && !slices.ContainsFunc(names, func(n string) bool { return slices.Contains(with, n) }) {
			stray = fmt.Errorf("--%s goes with --class %s, not with %s", flag.Name, strings.Join(with, ", "), f.class)
		}
	})
	return stray
}

// family returns the class of that name.
func (f *classFlags) family(name string, s *table.Schema) (model.Family, error) {
	literals := model.Literals{Negated: f.negated, Intervals: f.intervals, Monotone: f.positive}
	switch name {
	case "conjunction", "disjunction":
		return model.Conjunction{Literals: literals, Disjunction: name == "disjunction", Most: f.most, Penalty: f.penalty, Distance: f.distance}, nil
	case "decision-list":
		return model.DecisionList{Literals: literals, Rules: f.rules, Width: f.literals, Penalty: f.penalty}, nil
	case "parity":
		return model.Parity{Digits: f.digits, Most: f.most, Penalty: f.penalty, Affine: f.affine}, nil
	case "majority", "nand":
		return model.ReadOnce{NAND: name == "nand", Depth: f.depth, Penalty: f.penalty}, nil
	}
	points, err := parsePoints(f.points)
	if err != nil {
		return nil, err
	}
	if name == "halfspace" {
		return model.Halfspace{Weights: points, Threshold: f.threshold, Penalty: f.penalty, Most: f.most, Norm: f.norm, Distance: f.distance}, nil
	}
	card := model.Scorecard{Points: points, Threshold: f.threshold, Penalty: f.penalty, Most: f.most, Norm: f.norm, Distance: f.distance}
	for _, name := range f.monotone {
		found, err := parseMonotone(name, s)
		if err != nil {
			return nil, err
		}
		card.Monotone = append(card.Monotone, found...)
	}
	return card, nil
}

func parsePoints(text string) (model.Points, error) {
	least, most, found := strings.Cut(text, "..")
	lo, err := strconv.Atoi(least)
	hi, err2 := strconv.Atoi(most)
	if !found || err != nil || err2 != nil {
		return model.Points{}, fmt.Errorf("--points %s is no range of whole numbers such as -1..1", quote.Word(text))
	}
	if lo > hi {
		return model.Points{}, fmt.Errorf("--points %s is empty; write the least number first", quote.Word(text))
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
		return nil, fmt.Errorf("--monotone %s names no attribute or column of the schema (write NAME, NAME:up or NAME:down)", quote.Word(text))
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
