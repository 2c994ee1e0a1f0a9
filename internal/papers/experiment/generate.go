package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/generated"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The name of a generated table states its label rule, its number of attributes, the number of categories of
// each attribute, its number of rows and a seed. For example, "tree:14x6:20000:1" has 14 attributes with 6
// categories each and 20,000 rows.

// A rule returns the probability of a positive label for a record.
type rule func(x table.Record) float64

// A ruleMaker returns a random rule for records whose attributes have the given numbers of categories (sizes).
type ruleMaker func(rng *rand.Rand, sizes []int) rule

// labelRules lists the rules that generate labels, by name.
var labelRules = []struct {
	name string
	rule ruleMaker
}{
	{"tree", treeRule},
	{"card", cardRule(0.5)},
	{"rare", cardRule(0.02)},
	{"pairs", pairsRule},
	{"list", listRule},
	{"xor", xorRule},
	{"noise", sameRule(0.5)},
	{"constant", sameRule(1)},
	{copies, cardRule(0.5)},
	{total, totalRule},
	{items, itemsRule},
}

// copies is the name of the rule for tables in which nearly all attributes of a row are copies of the first attribute.
const copies = "copies"

// total and items are the names of the rules for generated tables that resemble questionnaires: all attributes have
// the same categories.
const (
	total = "total"
	items = "items"
)

// LabelRules returns the names of the rules that generate labels.
func LabelRules() (names []string) {
	for _, f := range labelRules {
		names = append(names, f.name)
	}
	return names
}

// These constants limit the size of generated tables.
const (
	mostGeneratedAttributes = 200
	mostGeneratedRows       = 5_000_000
)

var generatedName = regexp.MustCompile(`^([a-z]+):([0-9]+)x([0-9]+):([0-9]+)(?::([0-9]+))?$`)

// A generator holds the parameters that the name of a generated table states.
type generator struct {
	rule       ruleMaker
	attributes int
	categories int // the number of categories of each attribute, but see mostEven
	rows, seed int
	copies     bool // whether the other attributes are copies of the first
	alike      bool // whether all attributes have the same categories, without cuts
}

// mostEven is the maximum number of categories that all attributes of a generated table have. If the name of a table
// states a larger number, only the first attribute has this number of categories, and the others have four.
const mostEven = 64

// parseName parses the name of a generated table. Its error explains the format of names.
func parseName(name string) (*generator, error) {
	wrong := fmt.Errorf("%s is not a known table; use one of %s, or describe a generated table as LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, such as tree:14x6:20000:1; it may have 2 to %d attributes, 2 to %d categories and at most %d rows, and LABEL must be one of %s",
		quote.Word(name), strings.Join(PublicSamples(), ", "), mostGeneratedAttributes, table.MaxCategories, mostGeneratedRows, strings.Join(LabelRules(), ", "))
	parts := generatedName.FindStringSubmatch(name)
	if parts == nil {
		return nil, wrong
	}
	at := slices.Index(LabelRules(), parts[1])
	var numbers [4]int
	for i, text := range parts[2:] {
		var err error
		if numbers[i], err = strconv.Atoi("0" + text); err != nil {
			return nil, wrong
		}
	}
	g := &generator{attributes: numbers[0], categories: numbers[1], rows: numbers[2], seed: numbers[3]}
	if at < 0 || g.attributes < 2 || g.attributes > mostGeneratedAttributes || g.categories < 2 || g.categories > table.MaxCategories || g.rows > mostGeneratedRows {
		return nil, wrong
	}
	g.rule, g.copies, g.alike = labelRules[at].rule, labelRules[at].name == copies, labelRules[at].name == total || labelRules[at].name == items
	return g, nil
}

// Generate returns the generated table with the given name, LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, where :SEED is
// optional. The same name always gives the same table. If CATEGORIES exceeds 64, only the first attribute has that
// many categories, and the others have four.
func Generate(name string) (*Sample, error) {
	g, err := parseName(name)
	if err != nil {
		return nil, err
	}
	sizes := slices.Repeat([]int{g.categories}, g.attributes)
	if g.categories > mostEven {
		sizes = slices.Repeat([]int{4}, g.attributes)
		sizes[0] = g.categories
	}
	s, err := generateSchema(name, sizes, !g.alike)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(uint64(g.seed), uint64(g.attributes*g.categories)))
	return &Sample{name, s, generateRows(rng, sizes, g.rows, g.copies, g.rule(rng, sizes))}, nil
}

// generateSchema returns a schema for a generated table, whose values are integers. If numeric is true, every second
// attribute with more than two categories is numeric with cuts; all other attributes are categorical.
func generateSchema(name string, sizes []int, numeric bool) (*table.Schema, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "name = %q\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n", name)
	for j, n := range sizes {
		var all []string
		for c := range n {
			all = append(all, fmt.Sprintf("%q", strconv.Itoa(c)))
		}
		key := "values"
		if numeric && j%2 == 1 && n > 2 {
			key, all = "cuts", nil
			for c := range n - 1 {
				all = append(all, strconv.Itoa(c+1))
			}
		}
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\n%s = [%s]\n", j+1, key, strings.Join(all, ", "))
	}
	return table.ParseSchema(name, strings.NewReader(text.String()))
}

// generateRows samples rows from a mixture of product distributions, and labels them by the rule positive. If copies
// is true, most attributes of a row are copies of the first one.
func generateRows(rng *rand.Rand, sizes []int, rows int, copies bool, positive rule) *table.Table {
	m := generated.NewMixture(rng, sizes)
	if copies {
		m.Copies = copyProbability
	}
	b := table.NewBuilder(sizes)
	x := make(table.Record, len(sizes))
	for range rows {
		m.Sample(rng, x)
		if err := b.Add(x, rng.Float64() < positive(x), 1); err != nil {
			panic(err) // impossible: all codes are valid
		}
	}
	return b.Table()
}

// copyProbability is the probability that an attribute copies the value of the first attribute, in tables with the
// rule named copies.
const copyProbability = 0.98

// ruleProbability is the probability that a label agrees with a deterministic rule.
const ruleProbability = 0.9

// sameRule returns the maker of a rule that ignores the record: the label is positive with probability share.
func sameRule(share float64) ruleMaker {
	return func(*rand.Rand, []int) rule { return func(table.Record) float64 { return share } }
}

// treeRule returns the rule of a random decision tree of depth 4.
func treeRule(rng *rand.Rand, sizes []int) rule { return branch(rng, sizes, 4) }

// branch returns the rule of a random decision tree of the given depth.
func branch(rng *rand.Rand, sizes []int, depth int) rule {
	if depth == 0 {
		share := ruleProbability
		if rng.IntN(2) == 0 {
			share = 1 - ruleProbability
		}
		return func(table.Record) float64 { return share }
	}
	condition, yes, no := threshold(rng, sizes), branch(rng, sizes, depth-1), branch(rng, sizes, depth-1)
	return func(x table.Record) float64 {
		if condition(x) {
			return yes(x)
		}
		return no(x)
	}
}

// threshold returns a random condition on a record: the code of a random attribute is less than a random number.
func threshold(rng *rand.Rand, sizes []int) func(table.Record) bool {
	j := rng.IntN(len(sizes))
	below := uint16(1 + rng.IntN(sizes[j]-1))
	return func(x table.Record) bool { return x[j] < below }
}

// cardRule returns the maker of random logistic models, which have random points on a third of the attributes and
// ignore the others. The fraction of positive labels is about share.
func cardRule(share float64) ruleMaker {
	return func(rng *rand.Rand, sizes []int) rule {
		c := generated.NewCard(rng, sizes, max(2, len(sizes)/3))
		start := math.Log(share/(1-share)) * 2
		return func(x table.Record) float64 { return 1 / (1 + math.Exp(-c.Total(x, start))) }
	}
}

// pairsRule returns a random logistic model whose score is a sum over pairs of conditions. It adds the random points
// of a pair if both conditions have the same truth value, and subtracts them otherwise.
func pairsRule(rng *rand.Rand, sizes []int) rule {
	var conditions [12][2]func(table.Record) bool
	var points [12]float64
	for i := range conditions {
		conditions[i] = [2]func(table.Record) bool{threshold(rng, sizes), threshold(rng, sizes)}
		points[i] = 2 * rng.NormFloat64()
	}
	return func(x table.Record) float64 {
		total := 0.0
		for i, of := range conditions {
			if of[0](x) == of[1](x) {
				total += points[i]
			} else {
				total -= points[i]
			}
		}
		return 1 / (1 + math.Exp(-total))
	}
}

// listRule returns a decision list of six random rules with two conditions each.
func listRule(rng *rand.Rand, sizes []int) rule {
	var conditions [6][2]func(table.Record) bool
	for i := range conditions {
		conditions[i] = [2]func(table.Record) bool{threshold(rng, sizes), threshold(rng, sizes)}
	}
	return func(x table.Record) float64 {
		for i, of := range conditions {
			if of[0](x) && of[1](x) {
				return []float64{ruleProbability, 1 - ruleProbability}[i%2]
			}
		}
		return ruleProbability
	}
}

// totalRule returns the rule of a sum score: the label is positive if the sum of the codes is at least half of its
// maximum. It ignores its random source.
func totalRule(_ *rand.Rand, sizes []int) rule {
	most := 0
	for _, n := range sizes {
		most += n - 1
	}
	return func(x table.Record) float64 {
		sum := 0
		for _, code := range x {
			sum += int(code)
		}
		if 2*sum >= most {
			return ruleProbability
		}
		return 1 - ruleProbability
	}
}

// itemsRule returns a random logistic model whose score is a weighted sum of the codes. The weights are unequal: the
// logarithm of a weight has the standard deviation ½.
func itemsRule(rng *rand.Rand, sizes []int) rule {
	weights := make([]float64, len(sizes))
	middle, variance := 0.0, 0.0
	for j, n := range sizes {
		weights[j] = math.Exp(rng.NormFloat64() / 2)
		middle += weights[j] * float64(n-1) / 2
		variance += weights[j] * weights[j] * float64(n*n-1) / 12 // of uniform codes
	}
	return func(x table.Record) float64 {
		sum := -middle
		for j, code := range x {
			sum += weights[j] * float64(code)
		}
		return 1 / (1 + math.Exp(-3*sum/math.Sqrt(variance)))
	}
}

// xorRule returns a rule on two random attributes: the label is positive if the code of exactly one of them is in the
// upper half of its range.
func xorRule(rng *rand.Rand, sizes []int) rule {
	two := rng.Perm(len(sizes))[:2]
	upper := func(x table.Record, j int) bool { return int(x[j]) >= sizes[j]/2 }
	return func(x table.Record) float64 {
		if upper(x, two[0]) != upper(x, two[1]) {
			return ruleProbability
		}
		return 1 - ruleProbability
	}
}
