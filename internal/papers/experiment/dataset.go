package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A dataset is a table of a Contest, with the forms of hypotheses for which the oracles are measured on it.
type dataset struct {
	name   string
	series string // the series of growing data sets that it belongs to, or ""
	forms  []model.Form
	files  []string // the paths of its files, relative to the directory
	load   func(ctx context.Context, directory string) (*loaded, error)
}

// A loaded is a dataset in memory.
type loaded struct {
	schema   *table.Schema
	examples []learn.Example[table.Record]
	noisy    bool // whether problems have the noise of RSPM at ε = 1
}

// errNoDirectory is returned for a data set that must be read from a file if the data directory is not known. It
// names the flag of the command that sets the directory.
var errNoDirectory = errors.New("set --data-dir to the directory that contains it")

var (
	signs     = model.Points{Least: -1, Most: 1}
	signCards = model.Scorecard{Points: signs, Threshold: 1}
	signHalf  = model.Halfspace{Weights: signs, Threshold: 1}
	rules     = model.DecisionList{Rules: 3}
	conjoined = model.Conjunction{}
	disjoined = model.Conjunction{Disjunction: true}
	majority  = model.ReadOnce{}
	nand      = model.ReadOnce{NAND: true}
)

// datasets lists the data sets of every Contest.
var datasets = append([]dataset{
	fromFile("tic-tac-toe", "tic-tac-toe/tic-tac-toe.data", "", signCards, model.Conjunction{Literals: model.Literals{Negated: true}}, disjoined, rules, model.Parity{}, majority, nand),
	fromFile("mushroom", "mushroom/agaricus-lepiota.data", "", signCards, conjoined, disjoined, rules, model.Parity{Digits: true, Most: 3}, majority),
	fromFile("adult-7", "adult/adult-balanced.data", "adult/adult-7.toml", signCards, signHalf, conjoined, disjoined, rules, model.Parity{}, majority, nand),
	noisy(fromFile("adult-7", "adult/adult-balanced.data", "adult/adult-7.toml", signCards, conjoined, disjoined)),
	fromFile("adult-12", "adult/adult-balanced.data", "adult/adult-12.toml", signCards, signHalf, conjoined, disjoined, rules, model.Parity{Most: 3}, majority),
}, growing(3, 4, 5, 6, 8, 10, 12, 14)...)

// fromFile returns a data set whose rows and schema are read from the given files. If schema is "", the embedded
// schema with the data set's name is used. Both paths are relative to the data directory.
func fromFile(name, data, schema string, forms ...model.Form) dataset {
	files := []string{data}
	if schema != "" {
		files = append(files, schema)
	}
	load := func(ctx context.Context, directory string) (*loaded, error) {
		if directory == "" {
			return nil, errNoDirectory
		}
		s, err := schemaIn(directory, schema, name)
		if err != nil {
			return nil, err
		}
		t, err := source.Read(ctx, filepath.Join(directory, data), s, source.Options{})
		if err != nil {
			return nil, err
		}
		return &loaded{schema: s, examples: learn.Examples(t)}, nil
	}
	return dataset{name: name, forms: forms, files: files, load: load}
}

// schemaIn reads a schema from a file in the directory. If file is "", it returns the embedded schema with the given
// name.
func schemaIn(directory, file, name string) (*table.Schema, error) {
	if file == "" {
		return ownSchema(name)
	}
	return release.ReadSchema(filepath.Join(directory, file))
}

// noisy returns a copy of the data set d in whose problems the costs have the noise of RSPM.
func noisy(d dataset) dataset {
	load := d.load
	d.name += " with noise"
	d.load = func(ctx context.Context, directory string) (*loaded, error) {
		l, err := load(ctx, directory)
		if err == nil {
			l.noisy = true
		}
		return l, err
	}
	return d
}

// growing returns a series of generated data sets, one for each given number of attributes.
func growing(attributes ...int) []dataset {
	var out []dataset
	for _, n := range attributes {
		out = append(out, noisy(dataset{
			name: fmt.Sprintf("random %d", n), series: "random", forms: []model.Form{signCards, conjoined, model.Parity{}},
			load: func(context.Context, string) (*loaded, error) { return random(n) },
		}))
	}
	return out
}

// randomRows is the number of records of a generated data set.
const randomRows = 1000

// random generates records with d attributes of three categories each, from a fixed seed. The label is the prediction
// of a random scorecard, flipped with probability 1/10.
func random(d int) (*loaded, error) {
	var text strings.Builder
	text.WriteString("[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n")
	for j := range d {
		fmt.Fprintf(&text, "[[attribute]]\ncolumn = \"x%d\"\nvalues = [\"a\", \"b\", \"c\"]\n", j+1)
	}
	s, err := table.ParseSchema("random", strings.NewReader(text.String()))
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(uint64(d), 0))
	hidden := make([][3]int, d)
	for j := range hidden {
		hidden[j] = [3]int{rng.IntN(3) - 1, rng.IntN(3) - 1, rng.IntN(3) - 1}
	}
	l := &loaded{schema: s}
	index := map[string]int{}
	for range randomRows {
		x := make(table.Record, d)
		total := 0
		for j := range x {
			x[j] = uint16(rng.IntN(3))
			total += hidden[j][x[j]]
		}
		label := (total >= 1) != (rng.IntN(10) == 0)
		key := fmt.Sprint(x, label)
		at, ok := index[key]
		if !ok {
			at = len(l.examples)
			index[key] = at
			l.examples = append(l.examples, learn.Example[table.Record]{X: x, Label: label})
		}
		l.examples[at].Count++
	}
	return l, nil
}

// problem returns the optimization problem for a class, in which costs are numbers of misclassifications. If l.noisy
// is true, the problem also has terms on separator bits with the noise of RSPM, sampled from a fixed seed.
func (l *loaded) problem(c model.Class) (class.Problem[table.Record], error) {
	if !l.noisy {
		return learn.Problem(learn.ZeroOne, l.examples, 1)
	}
	epsilon := decimal("1")
	m, distance := class.SeparatorBits(c), class.Distance(c)
	grid := perturb.DefaultGrid(m, distance, epsilon)
	p, err := learn.Problem(learn.ZeroOne, l.examples, grid)
	if err != nil {
		return p, err
	}
	rate := perturb.NoiseRate(perturb.Laplace, m, perturb.Shift(privacy.ReplaceOne, learn.ZeroOne, grid, distance), epsilon)
	law := noise.Laplace{Scale: new(big.Rat).Inv(rate)}
	coins := noise.Insecure(1)
	p.Terms = make([]int64, m)
	for i := range p.Terms {
		k := coins.Draw(law)
		if !k.IsInt64() {
			return p, class.ErrRange
		}
		p.Terms[i] = k.Int64()
	}
	return p, nil
}
