package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

//go:embed instances/*.toml
var schemas embed.FS

// An instance is a table with the classes that are learned from it.
type instance struct {
	name     string
	series   string // of instances that grow, empty for none
	families []model.Family
	files    []string // of the data directory
	load     func(ctx context.Context, directory string) (*loaded, error)
}

// A loaded instance is in memory.
type loaded struct {
	schema   *table.Schema
	examples []learn.Example[table.Record]
	noisy    bool // with RSPM's noise at ε = 1
}

// errNoDirectory reports a data set without --data-dir.
var errNoDirectory = errors.New("--data-dir does not say where it is")

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

// instances are what is measured.
var instances = append([]instance{
	dataset("tic-tac-toe", "tic-tac-toe/tic-tac-toe.data", "", signCards, model.Conjunction{Literals: model.Literals{Negated: true}}, disjoined, rules, model.Parity{}, majority, nand),
	dataset("mushroom", "mushroom/agaricus-lepiota.data", "", signCards, conjoined, disjoined, rules, model.Parity{Digits: true, Most: 3}, majority),
	dataset("adult-7", "adult/adult-balanced.data", "adult/adult-7.toml", signCards, signHalf, conjoined, disjoined, rules, model.Parity{}, majority, nand),
	noisy(dataset("adult-7", "adult/adult-balanced.data", "adult/adult-7.toml", signCards, conjoined, disjoined)),
	dataset("adult-12", "adult/adult-balanced.data", "adult/adult-12.toml", signCards, signHalf, conjoined, disjoined, rules, model.Parity{Most: 3}, majority),
}, growing(3, 4, 5, 6, 8, 10, 12, 14)...)

// dataset is a file of the data directory with a schema of it, or with one of
// the program's own.
func dataset(name, data, schema string, families ...model.Family) instance {
	load := func(ctx context.Context, directory string) (*loaded, error) {
		if directory == "" {
			return nil, errNoDirectory
		}
		s, err := datasetSchema(name, directory, schema)
		if err != nil {
			return nil, err
		}
		t, err := source.Read(ctx, filepath.Join(directory, data), s, source.Options{})
		if err != nil {
			return nil, err
		}
		return &loaded{schema: s, examples: learn.Examples(t)}, nil
	}
	return instance{name: name, families: families, files: []string{data, schema}, load: load}
}

// in returns the paths of the instance's files in the directory.
func (i instance) in(directory string) []string {
	var paths []string
	for _, name := range i.files {
		if name != "" {
			paths = append(paths, filepath.Join(directory, name))
		}
	}
	return paths
}

func datasetSchema(name, directory, schema string) (*table.Schema, error) {
	if schema != "" {
		return readSchema(filepath.Join(directory, schema))
	}
	path := "instances/" + name + ".toml"
	file, err := schemas.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return table.ParseSchema(path, file)
}

// noisy is the instance with RSPM's noise.
func noisy(i instance) instance {
	load := i.load
	i.name += " with noise"
	i.load = func(ctx context.Context, directory string) (*loaded, error) {
		l, err := load(ctx, directory)
		if err == nil {
			l.noisy = true
		}
		return l, err
	}
	return i
}

// growing are made-up records in so many attributes.
func growing(attributes ...int) []instance {
	var out []instance
	for _, d := range attributes {
		out = append(out, noisy(instance{
			name: fmt.Sprintf("random %d", d), series: "random", families: []model.Family{signCards, conjoined, model.Parity{}},
			load: func(context.Context, string) (*loaded, error) { return random(d) },
		}))
	}
	return out
}

// randomRows is how many records are made up.
const randomRows = 1000

// random draws records of d attributes with three categories each, always the
// same for the same d. Their label is that of a hidden card, one in ten wrong.
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
	places := map[string]int{}
	for range randomRows {
		x := make(table.Record, d)
		total := 0
		for j := range x {
			x[j] = uint16(rng.IntN(3))
			total += hidden[j][x[j]]
		}
		label := (total >= 1) != (rng.IntN(10) == 0)
		key := fmt.Sprint(x, label)
		at, known := places[key]
		if !known {
			at = len(l.examples)
			places[key] = at
			l.examples = append(l.examples, learn.Example[table.Record]{X: x, Label: label})
		}
		l.examples[at].Count++
	}
	return l, nil
}

// problem returns what hypotheses of the class are charged for, always the same.
func (l *loaded) problem(c model.Class) (class.Problem[table.Record], error) {
	if !l.noisy {
		return learn.Problem(learn.ZeroOne, l.examples, 1)
	}
	epsilon, err := privacy.ParseDecimal("1")
	if err != nil {
		return class.Problem[table.Record]{}, err
	}
	m, distance := c.Separator(), class.Distance(c)
	grid := learn.DefaultGrid(m, distance, epsilon)
	p, err := learn.Problem(learn.ZeroOne, l.examples, grid)
	if err != nil {
		return p, err
	}
	rate := learn.NoiseRate(learn.Laplace, m, learn.Shift(privacy.ReplaceOne, learn.ZeroOne, grid, distance), epsilon)
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
