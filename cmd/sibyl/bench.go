package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/oracle/heuristic"
	"github.com/sibyl-dp/sibyl/oracle/solver"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/table"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the parts of Sibyl on public and made-up data",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchOracle(), newFigure1())
	return cmd
}

func newBenchOracle() *cobra.Command {
	f := &benchFlags{}
	cmd := &cobra.Command{
		Use:   "oracle --data-dir DIR",
		Short: "Compare all oracles on the same problems",
		Long: `Oracle has every oracle minimise over every class that it knows, on public data
sets and on made-up records with the noise of rspm at ε = 1, and prints what each
found, whether it is proved, and the time it took: the median of three calls
where that is below a second. A call ends at the limit. Of problems that grow,
the larger ones are left out for an oracle that did not prove a smaller one.

The data sets are looked for in DIR: adult/adult-balanced.data with adult-7.toml
and adult-12.toml, mushroom/agaricus-lepiota.data and tic-tac-toe/tic-tac-toe.data.
Without DIR only the made-up records are used. Solvers that are missing are named
and left out. Two oracles that prove different costs are an error.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	pathVar(flags, &f.directory, "data-dir", "the `directory` of the data sets")
	flags.DurationVar(&f.limit, "limit", 20*time.Second, "end each call after that `time`")
	flags.StringSliceVar(&f.only, "only", nil, "only what has this `text` in its name, INSTANCE/CLASS/ORACLE; repeatable")
	pathVar(flags, &f.out, "out", "a `file` for the results as CSV")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type benchFlags struct {
	directory string
	limit     time.Duration
	only      []string
	out       string
	force     bool
}

// A measured row is one oracle on one problem.
type measured struct {
	Instance  string  `json:"instance"`
	Class     string  `json:"class"`
	Size      string  `json:"class_size"`
	Oracle    string  `json:"oracle"`
	Certifies string  `json:"certifies"`
	Outcome   outcome `json:"outcome"`
	Cost      *int64  `json:"cost"` // null where nothing was found
	Unit      int64   `json:"unit"` // the cost of one error
	Seconds   float64 `json:"seconds"`
}

// An outcome is how a call ended.
type outcome string

const (
	proved  outcome = "proved"
	found   outcome = "not proved" // by a heuristic
	endless outcome = "no proof"   // within the limit
	failed  outcome = "failed"     // by itself
)

func (f *benchFlags) run(cmd *cobra.Command) error {
	if f.limit <= 0 {
		return fmt.Errorf("--limit %v is no time", f.limit)
	}
	var inputs []string
	if f.directory != "" {
		for _, i := range instances {
			inputs = append(inputs, i.in(f.directory)...)
		}
	}
	files, err := claimInputs(cmd, nil, inputs...)
	if err != nil {
		return err
	}
	var out *publish.Draft
	if f.out != "" {
		if out, err = publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForAll); err != nil {
			return err
		}
		defer out.Discard()
	}
	b := &bench{cmd: cmd, flags: f, missing: map[string]bool{}, given: map[string]bool{}}
	for _, i := range instances {
		if err := b.instance(i); err != nil {
			return err
		}
	}
	if len(b.rows) == 0 {
		return errors.New("nothing was measured; see --only and --data-dir")
	}
	if out != nil {
		if err := writeCSV(out, b.rows); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	if err := printing(cmd, b.rows, func(w io.Writer) error { return writeRows(w, b.rows) }); err != nil {
		return err
	}
	return disagreement(b.rows)
}

// A bench is a run in progress.
type bench struct {
	cmd     *cobra.Command
	flags   *benchFlags
	rows    []measured
	missing map[string]bool // solvers, data sets and pairs that are left out
	given   map[string]bool // what gave up, as "series/class/oracle"
}

// mostTried is how many predictions the enumeration of a class may take.
const mostTried = 1 << 28

var errTried = errors.New("to try all hypotheses on all records takes too long")

// wanted tells whether --only leaves a name, or what it begins, in.
func (f *benchFlags) wanted(i instance, class, name string) bool {
	if len(f.only) == 0 {
		return true
	}
	for _, only := range f.only {
		if strings.Contains(i.name+"/"+class+"/"+name, only) {
			return true
		}
	}
	return false
}

// instance measures all oracles on all classes of an instance.
func (b *bench) instance(i instance) error {
	var l *loaded
	for _, family := range i.families {
		for _, name := range benchOracles(family) {
			if !b.flags.wanted(i, family.Name(), name) || b.given[i.series+"/"+family.Name()+"/"+name] {
				continue
			}
			if l == nil {
				var err error
				if l, err = i.load(b.cmd.Context(), b.flags.directory); errors.Is(err, errNoDirectory) {
					b.leaveOut(i.name, err)
					return nil
				} else if err != nil {
					return err
				}
			}
			if err := b.pair(i, l, family, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveOut says once why something is not measured.
func (b *bench) leaveOut(what string, why error) {
	if !b.missing[what] {
		note(b.cmd, "%s is left out: %v", what, why)
	}
	b.missing[what] = true
}

// pair measures an oracle on a family, if there is one.
func (b *bench) pair(i instance, l *loaded, f model.Family, name string) error {
	o, err := benchOracle(name, l.schema, f)
	path := i.name + "/" + f.Name() + "/" + name
	if errors.Is(err, solver.ErrMissing) {
		b.leaveOut(name, err)
		return nil
	}
	if err != nil { // too large a class
		b.leaveOut(path, err)
		return nil
	}
	p, err := l.problem(o.Class())
	if err != nil {
		return err
	}
	if size := o.Class().Size(); name == "exhaustive" && size.Mul(size, big.NewInt(int64(len(p.Points)))).Cmp(big.NewInt(mostTried)) > 0 {
		b.leaveOut(path, errTried)
		return nil
	}
	s, took, err := measure(b.cmd.Context(), o, p, b.flags.limit)
	row := measured{
		Instance: i.name, Class: f.Name(), Size: short(o.Class().Size()), Oracle: name,
		Certifies: certifies(o), Outcome: proved, Unit: p.PenaltyUnit(), Seconds: took.Seconds(),
	}
	switch {
	case b.cmd.Context().Err() != nil:
		return b.cmd.Context().Err()
	case errors.Is(err, context.DeadlineExceeded):
		row.Outcome = endless
	case errors.Is(err, oracle.ErrFail):
		row.Outcome = failed
		note(b.cmd, "%s: %v", path, err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	default:
		row.Cost = &s.Cost
		if o.Kind() == oracle.Heuristic {
			row.Outcome = found
		}
	}
	if i.series != "" && row.Cost == nil {
		b.given[i.series+"/"+f.Name()+"/"+name] = true
	}
	note(b.cmd, "%s: %s, %s", path, row.Outcome, row.time())
	b.rows = append(b.rows, row)
	return nil
}

// benchOracle returns an oracle by its name, heuristics among them.
func benchOracle(name string, s *table.Schema, f model.Family) (minimizer, error) {
	switch name {
	case "incumbent":
		c, err := f.Over(s)
		if err != nil {
			return nil, err
		}
		return heuristic.Incumbent(c), nil
	case "logistic":
		c, err := cards(name, s, f)
		if err != nil {
			return nil, err
		}
		return oracle.Erase(heuristic.Logistic(c)), nil
	}
	return newOracle(name, s, f)
}

// benchOracles lists the oracles that there are for a family.
func benchOracles(f model.Family) []string {
	var names []string
	for _, name := range oracleNames {
		if with, listed := oraclesWith[name]; !listed || slices.Contains(with, f.Name()) {
			names = append(names, name)
		}
	}
	names = append(names, "incumbent")
	switch f.(type) {
	case model.Scorecard, model.Halfspace:
		names = append(names, "logistic")
	}
	return names
}

// certifies says what an answer of the oracle is worth.
func certifies(o minimizer) string {
	switch {
	case o.Kind() == oracle.Exhaustive:
		return "always"
	case o.Kind() == oracle.Heuristic:
		return "never"
	case oracle.FloatBound(o):
		return "or fails; in floats"
	}
	return "or fails"
}

// time returns the time for people.
func (m measured) time() string {
	d := time.Duration(m.Seconds * float64(time.Second))
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// cost returns the cost for people, in errors.
func (m measured) cost() string {
	if m.Cost == nil {
		return "–"
	}
	if m.Unit == 1 {
		return strconv.FormatInt(*m.Cost, 10)
	}
	return strconv.FormatFloat(float64(*m.Cost)/float64(m.Unit), 'f', 1, 64)
}

func writeRows(w io.Writer, rows []measured) error {
	cells := [][]string{{"instance", "class", "hypotheses", "oracle", "certifies", "errors", "time", "outcome"}}
	for _, r := range rows {
		cells = append(cells, []string{r.Instance, r.Class, r.Size, r.Oracle, r.Certifies, r.cost(), r.time(), string(r.Outcome)})
	}
	return report.WriteTable(w, cells, "llrllrrl")
}

func writeCSV(w io.Writer, rows []measured) error {
	c := csv.NewWriter(w)
	cells := [][]string{{"instance", "class", "class_size", "oracle", "certifies", "outcome", "cost", "unit", "seconds"}}
	for _, r := range rows {
		cost := ""
		if r.Cost != nil {
			cost = strconv.FormatInt(*r.Cost, 10)
		}
		cells = append(cells, []string{
			r.Instance, r.Class, r.Size, r.Oracle, r.Certifies, string(r.Outcome), cost,
			strconv.FormatInt(r.Unit, 10), strconv.FormatFloat(r.Seconds, 'g', 4, 64),
		})
	}
	return c.WriteAll(cells)
}

// disagreement reports answers that contradict each other: different proofs, or
// one below what is proved.
func disagreement(rows []measured) error {
	least := map[string]measured{}
	for _, r := range rows {
		if r.Outcome == proved {
			key := r.Instance + "/" + r.Class
			if other, ok := least[key]; ok && *other.Cost != *r.Cost {
				return fmt.Errorf("on %s %s and %s prove different costs, %d and %d", key, other.Oracle, r.Oracle, *other.Cost, *r.Cost)
			}
			least[key] = r
		}
	}
	for _, r := range rows {
		key := r.Instance + "/" + r.Class
		if other, ok := least[key]; ok && r.Cost != nil && *r.Cost < *other.Cost {
			return fmt.Errorf("on %s %s finds a cost of %d, below what %s proves, %d", key, r.Oracle, *r.Cost, other.Oracle, *other.Cost)
		}
	}
	return nil
}
