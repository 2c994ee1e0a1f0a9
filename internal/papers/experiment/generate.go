package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Tables made up by a public generator, each by its name: what the label follows, the
// attributes and the categories of each, the rows, and a seed: "tree:14x6:20000:1".

// A rule tells how likely a positive label is, by the categories of a row.
type rule func(x table.Record) float64

// A maker makes a rule over attributes of those sizes.
type maker func(rng *rand.Rand, sizes []int) rule

// follows are what labels may follow.
var follows = []struct {
	name string
	rule maker
}{
	{"tree", treeRule},
	{"card", cardRule(0.5)},  // points of a third of the attributes
	{"rare", cardRule(0.02)}, // and few positive labels
	{"pairs", pairsRule},
	{"list", listRule},
	{"xor", xorRule},
	{"noise", sameRule(0.5)},
	{"constant", sameRule(1)},
	{copies, cardRule(0.5)},
}

// copies also has attributes that are nearly always equal to the first.
const copies = "copies"

// Follows names what the labels of made-up tables follow.
func Follows() (names []string) {
	for _, f := range follows {
		names = append(names, f.name)
	}
	return names
}

// The limits of made-up tables.
const (
	mostMadeAttributes = 200
	mostMadeRows       = 5_000_000
)

var madeName = regexp.MustCompile(`^([a-z]+):([0-9]+)x([0-9]+):([0-9]+)(?::([0-9]+))?$`)

// A madeTable is what the name of a made-up table says.
type madeTable struct {
	follows    maker
	attributes int
	categories int // of the first attribute; the others have at most four of more than mostEven
	rows, seed int
	copies     bool // of the first attribute are the others
}

// mostEven is how many categories all attributes may have.
const mostEven = 64

// parseMade reads the name of a made-up table.
func parseMade(name string) (*madeTable, error) {
	wrong := fmt.Errorf("%s is no table; it is one of %s, or LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED such as tree:14x6:20000:1, of 2 to %d attributes, 2 to %d categories, at most %d rows, and a label that follows one of %s",
		quote.Word(name), strings.Join(PublicSamples(), ", "), mostMadeAttributes, table.MaxCategories, mostMadeRows, strings.Join(Follows(), ", "))
	parts := madeName.FindStringSubmatch(name)
	if parts == nil {
		return nil, wrong
	}
	at := slices.Index(Follows(), parts[1])
	var numbers [4]int
	for i, text := range parts[2:] {
		var err error
		if numbers[i], err = strconv.Atoi("0" + text); err != nil {
			return nil, wrong
		}
	}
	m := &madeTable{attributes: numbers[0], categories: numbers[1], rows: numbers[2], seed: numbers[3]}
	if at < 0 || m.attributes < 2 || m.attributes > mostMadeAttributes || m.categories < 2 || m.categories > table.MaxCategories || m.rows > mostMadeRows {
		return nil, wrong
	}
	m.follows, m.copies = follows[at].rule, follows[at].name == copies
	return m, nil
}

// Generate makes a table by its name, LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, always the same.
// The seed may be left out. Of more than 64 categories only the first attribute has so many,
// and the others have four.
func Generate(name string) (*Sample, error) {
	m, err := parseMade(name)
	if err != nil {
		return nil, err
	}
	sizes := slices.Repeat([]int{m.categories}, m.attributes)
	if m.categories > mostEven {
		sizes = slices.Repeat([]int{4}, m.attributes)
		sizes[0] = m.categories
	}
	s, err := madeSchema(name, sizes)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(uint64(m.seed), uint64(m.attributes*m.categories)))
	return &Sample{name, s, madeRows(rng, sizes, m.rows, m.copies, m.follows(rng, sizes))}, nil
}

// madeSchema is a schema of numbers: every second attribute of at most 64 categories has
// cuts.
func madeSchema(name string, sizes []int) (*table.Schema, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "name = %q\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n", name)
	for j, n := range sizes {
		var all []string
		for c := range n {
			all = append(all, fmt.Sprintf("%q", strconv.Itoa(c)))
		}
		key := "values"
		if j%2 == 1 && n > 2 {
			key, all = "cuts", nil
			for c := range n - 1 {
				all = append(all, strconv.Itoa(c+1))
			}
		}
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\n%s = [%s]\n", j+1, key, strings.Join(all, ", "))
	}
	return table.ParseSchema(name, strings.NewReader(text.String()))
}

// madeRows draws rows of three kinds of people, each with its own shares of categories.
func madeRows(rng *rand.Rand, sizes []int, rows int, copies bool, positive rule) *table.Table {
	const kinds = 3
	sums := make([][kinds][]float64, len(sizes)) // of shares, growing to 1
	for j, n := range sizes {
		for k := range kinds {
			of := make([]float64, n)
			total := 0.0
			for c := range of {
				total += rng.ExpFloat64()
				of[c] = total
			}
			for c := range of {
				of[c] /= total
			}
			sums[j][k] = of
		}
	}
	b := table.NewBuilder(sizes)
	x := make(table.Record, len(sizes))
	for range rows {
		k := rng.IntN(kinds)
		for j, n := range sizes {
			c, _ := slices.BinarySearch(sums[j][k], rng.Float64())
			x[j] = uint16(min(c, n-1))
			if copies && rng.Float64() < equal {
				x[j] = uint16(min(int(x[0]), n-1))
			}
		}
		if err := b.Add(x, rng.Float64() < positive(x), 1); err != nil {
			panic(err) // a code outside its attribute
		}
	}
	return b.Table()
}

// equal is how often an attribute is a copy of the first, where they are.
const equal = 0.98

// sure is how likely a label is where it follows a rule.
const sure = 0.9

// sameRule has that chance for all rows.
func sameRule(share float64) maker {
	return func(*rand.Rand, []int) rule { return func(table.Record) float64 { return share } }
}

// treeRule is a tree of four questions to a row.
func treeRule(rng *rand.Rand, sizes []int) rule { return branch(rng, sizes, 4) }

func branch(rng *rand.Rand, sizes []int, depth int) rule {
	if depth == 0 {
		share := sure
		if rng.IntN(2) == 0 {
			share = 1 - sure
		}
		return func(table.Record) float64 { return share }
	}
	asked, yes, no := question(rng, sizes), branch(rng, sizes, depth-1), branch(rng, sizes, depth-1)
	return func(x table.Record) float64 {
		if asked(x) {
			return yes(x)
		}
		return no(x)
	}
}

// question asks whether an attribute is below one of its middle categories.
func question(rng *rand.Rand, sizes []int) func(table.Record) bool {
	j := rng.IntN(len(sizes))
	below := uint16(1 + rng.IntN(sizes[j]-1))
	return func(x table.Record) bool { return x[j] < below }
}

// cardRule has about that share of positive labels.
func cardRule(share float64) maker {
	return func(rng *rand.Rand, sizes []int) rule {
		used := rng.Perm(len(sizes))[:max(2, len(sizes)/3)]
		points := make([][]float64, len(used))
		for i, j := range used {
			for range sizes[j] {
				points[i] = append(points[i], 4*rng.NormFloat64()/math.Sqrt(float64(len(used))))
			}
		}
		start := math.Log(share/(1-share)) * 2
		return func(x table.Record) float64 {
			total := start
			for i, j := range used {
				total += points[i][x[j]]
			}
			return 1 / (1 + math.Exp(-total))
		}
	}
}

// pairsRule has points for pairs of answers that are alike.
func pairsRule(rng *rand.Rand, sizes []int) rule {
	var asked [12][2]func(table.Record) bool
	var points [12]float64
	for i := range asked {
		asked[i] = [2]func(table.Record) bool{question(rng, sizes), question(rng, sizes)}
		points[i] = 2 * rng.NormFloat64()
	}
	return func(x table.Record) float64 {
		total := 0.0
		for i, of := range asked {
			if of[0](x) == of[1](x) {
				total += points[i]
			} else {
				total -= points[i]
			}
		}
		return 1 / (1 + math.Exp(-total))
	}
}

// listRule has rules of two conditions, of which the first that applies decides.
func listRule(rng *rand.Rand, sizes []int) rule {
	var asked [6][2]func(table.Record) bool
	for i := range asked {
		asked[i] = [2]func(table.Record) bool{question(rng, sizes), question(rng, sizes)}
	}
	return func(x table.Record) float64 {
		for i, of := range asked {
			if of[0](x) && of[1](x) {
				return []float64{sure, 1 - sure}[i%2]
			}
		}
		return sure
	}
}

// xorRule asks whether just one of two attributes is in its upper half.
func xorRule(rng *rand.Rand, sizes []int) rule {
	two := rng.Perm(len(sizes))[:2]
	upper := func(x table.Record, j int) bool { return int(x[j]) >= sizes[j]/2 }
	return func(x table.Record) float64 {
		if upper(x, two[0]) != upper(x, two[1]) {
			return sure
		}
		return 1 - sure
	}
}
