package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/heuristic"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Contest measures the time and the result of every oracle on every class that the oracle supports. Some problems
// come from public data sets, and others from generated records, with the noise of RSPM at ε = 1. Some problems form
// a series of increasing size. If an oracle finds no hypothesis for a problem of a series, the Contest skips the
// larger problems for this oracle.
type Contest struct {
	// Directory contains the data sets: adult/adult-balanced.data with adult-7.toml and
	// adult-12.toml, mushroom/agaricus-lepiota.data and tic-tac-toe/tic-tac-toe.data. If it is
	// empty, only generated records are used.
	Directory string

	// Limit is the maximum time of a call; it must be positive.
	Limit time.Duration

	// Only, if not empty, selects the calls whose name INSTANCE/CLASS/ORACLE contains one of these
	// texts.
	Only []string

	// Tell, if set, receives a line for each call that has ended, and for each skipped item a line with
	// the reason.
	Tell func(line string)
}

// Files returns the paths of all files that Run may read.
func (c *Contest) Files() []string {
	var paths []string
	if c.Directory == "" {
		return nil
	}
	for _, d := range datasets {
		for _, name := range d.files {
			paths = append(paths, filepath.Join(c.Directory, name))
		}
	}
	return paths
}

// Run calls the oracles one after the other. It skips solvers that are not installed.
func (c *Contest) Run(ctx context.Context) (Findings, error) {
	r := &contestRun{Contest: c, skipped: map[string]bool{}, failed: map[string]bool{}}
	for _, d := range datasets {
		if err := r.on(ctx, d); err != nil {
			return nil, err
		}
	}
	return r.findings, nil
}

// A contestRun is the state of one call of Contest.Run.
type contestRun struct {
	*Contest
	findings Findings
	skipped  map[string]bool // the skipped solvers, data sets and calls
	failed   map[string]bool // the oracles that found no hypothesis, as "series/class/oracle"; they skip larger problems of the series
}

// selects reports whether the Contest includes the measurement with the given name INSTANCE/CLASS/ORACLE: whether
// c.Only is empty or the name contains one of its texts.
func (c *Contest) selects(name string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(text string) bool { return strings.Contains(name, text) })
}

// tell formats a line and passes it to the function Contest.Tell.
func (c *Contest) tell(format string, args ...any) {
	if c.Tell != nil {
		c.Tell(fmt.Sprintf(format, args...))
	}
}

// skip reports through Tell that a solver, data set or call is not measured, and why. It reports each of them only
// once.
func (r *contestRun) skip(item string, reason error) {
	if !r.skipped[item] {
		r.tell("%s is skipped: %v", item, reason)
	}
	r.skipped[item] = true
}

// on measures all oracles on all classes of hypotheses for the data set d.
func (r *contestRun) on(ctx context.Context, d dataset) error {
	var l *loaded
	for _, form := range d.forms {
		var space model.Space
		for _, name := range contestants() {
			f := Finding{Instance: d.name, Class: form.Name(), Oracle: name}
			series := d.series + "/" + f.Class + "/" + name
			if !r.selects(f.name()) || r.failed[series] {
				continue
			}
			var err error
			if l == nil {
				if l, err = d.load(ctx, r.Directory); errors.Is(err, errNoDirectory) {
					r.skip(d.name, err)
					return nil
				} else if err != nil {
					return err
				}
			}
			if space == nil {
				if space, err = model.Over(form, l.schema); err != nil {
					r.skip(f.problem(), err)
					break
				}
			}
			measured, err := r.pair(ctx, &f, l, space)
			if err != nil {
				return err
			}
			if !measured {
				continue
			}
			r.failed[series] = d.series != "" && f.Cost == nil
			r.tell("%s: %s, %s", f.name(), f.Outcome, f.time())
			r.findings = append(r.findings, f)
		}
	}
	return nil
}

// mostTried is the maximum number of predictions that the oracle "exhaustive" may compute for one problem.
const mostTried = 1 << 28

var errTried = fmt.Errorf("enumerating all hypotheses takes more than the limit of %d predictions", mostTried)

// pair measures one oracle on the class of the space s, and stores the results in the finding f. It returns false if
// it skips the oracle.
func (r *contestRun) pair(ctx context.Context, f *Finding, l *loaded, s model.Space) (measured bool, err error) {
	o, err := contestant(f.Oracle, s)
	switch {
	case errors.Is(err, mechanisms.ErrUnfit):
		return false, nil
	case errors.Is(err, solver.ErrMissing):
		r.skip(f.Oracle, err)
		return false, nil
	case err != nil: // the class is too large
		r.skip(f.name(), err)
		return false, nil
	}
	p, err := l.problem(o.Class())
	if err != nil {
		return false, err
	}
	size := o.Class().Size()
	if f.Oracle == "exhaustive" && new(big.Int).Mul(size, big.NewInt(int64(len(p.Points)))).Cmp(big.NewInt(mostTried)) > 0 {
		r.skip(f.name(), errTried)
		return false, nil
	}
	f.Size, f.Certifies, f.Unit = short(size), certifies(o), p.PenaltyUnit()
	solution, took, err := measure(ctx, o, p, r.Limit)
	f.Seconds = took.Seconds()
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		f.Outcome = TimedOut
	case errors.Is(err, oracle.ErrFail):
		f.Outcome = Failed
		r.tell("%s: %v", f.name(), err)
	case err != nil:
		return false, fmt.Errorf("%s: %w", f.name(), err)
	default:
		f.Cost, f.Outcome = &solution.Cost, Proved
		if o.Kind() == oracle.Heuristic {
			f.Outcome = Unproved
		}
	}
	return true, nil
}

// These constants are the names of heuristics that a Contest runs in addition to the oracles of package mechanisms.
const (
	incumbentName = "incumbent"
	logisticName  = "logistic"
)

// contestants returns the names of all oracles of a Contest.
func contestants() []string { return append(mechanisms.Oracles(), incumbentName, logisticName) }

// contestant returns the oracle with the given name for the class of the space s. Its errors are those of
// mechanisms.NewOracle.
func contestant(name string, s model.Space) (mechanisms.Minimizer, error) {
	switch name {
	case incumbentName:
		return heuristic.Incumbent(s.Sampling().Class), nil
	case logisticName:
		if of, ok := s.(interface{ Cards() *scorecard.Class }); ok {
			return oracle.Erase(heuristic.Logistic(of.Cards())), nil
		}
		return nil, mechanisms.ErrUnfit
	}
	return mechanisms.NewOracle(name, s)
}

// certifies returns the text of the column "certifies": whether the oracle proves that its answers are optimal.
func certifies(o mechanisms.Minimizer) string {
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

// measure calls the oracle with a time limit, and returns its answer and the duration of the call. If a call takes
// less than a second, measure calls the oracle three times and returns the median duration.
func measure(ctx context.Context, o mechanisms.Minimizer, p class.Problem[table.Record], limit time.Duration) (s oracle.Solution[any], took time.Duration, err error) {
	const brief, repeats = time.Second, 3
	var times []time.Duration
	for len(times) < repeats {
		s, took, err = call(ctx, o, p, limit)
		if err != nil || took >= brief {
			return s, took, err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	return s, times[repeats/2], nil
}

// call calls the oracle once on the problem p, with a time limit, and returns its answer and the duration of the
// call.
func call(ctx context.Context, o mechanisms.Minimizer, p class.Problem[table.Record], limit time.Duration) (oracle.Solution[any], time.Duration, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	s, err := o.Minimize(limited, p, oracle.Budget{})
	return s, time.Since(start), err
}

// short formats the integer n as text. Large numbers are rounded to three significant digits.
func short(n *big.Int) string {
	if n.BitLen() < 20 {
		return n.String()
	}
	return new(big.Float).SetInt(n).Text('g', 3)
}
