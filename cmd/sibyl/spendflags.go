package main

import (
	"fmt"
	"math/big"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// spendFlags are the flags of every command that consumes privacy budget.
type spendFlags struct {
	epsilon  string
	delta    string
	relation string
	rows     int64
	seed     uint64
	pad      time.Duration
	log      string
	risk     string
	total    bool
	account  string

	elsewhere bool // whether the profiles of the schema are charged to another account
}

const rowsUsage = "the number of `rows` of the data, or of persons if the schema has [person]; it must be public, and includes rows with values outside the schema (with --relation add-remove, an approximate number); by default, it is not stated"

const deltaUsage = "the `δ` of the guarantee, such as 1e-9"

// register defines the flags. The parameter epsilon is the help text of --epsilon.
func (f *spendFlags) register(cmd *cobra.Command, epsilon string) {
	f.registerEpsilon(cmd, epsilon)
	flags := cmd.Flags()
	flags.Int64Var(&f.rows, "rows", 0, rowsUsage)
	flags.Uint64Var(&f.seed, "insecure-seed", 0, "only for tests: derive the random numbers from this `number`, so that the run can be repeated; the result then has no privacy guarantee")
	flags.DurationVar(&f.pad, "pad-to", 0, "delay the end of the release to the next multiple of this `duration`, such as 10s, so that the running time reveals less about the data; 0 means no delay")
	cli.PathVar(flags, &f.log, "private-log", "a `file` to which messages about the run are written; they depend on the data, so keep the file private (default: none)")
	accountVar(flags, &f.account)
	flags.BoolVar(&f.elsewhere, "profiled-elsewhere", false, "charge this release to --account although the private choice of the schema's cuts and categories (sibyl schema profile) was not charged to it; you must then add the two privacy losses yourself")
}

// registerEpsilon defines --epsilon with the given help text. It sets the defaults of δ and of the neighbour
// relation.
func (f *spendFlags) registerEpsilon(cmd *cobra.Command, epsilon string) {
	f.delta, f.relation = "0", privacy.ReplaceOne.String()
	cmd.Flags().StringVar(&f.epsilon, "epsilon", "", epsilon)
}

// registerRelation defines --relation, for commands that support both neighbour relations.
func (f *spendFlags) registerRelation(cmd *cobra.Command, usual string) {
	cmd.Flags().StringVar(&f.relation, "relation", usual, "the neighbour relation of the guarantee: two tables are neighbours if one record is replaced by another (replace; the number of records is public), or if one record is added or removed (add-remove)")
	must(cmd.RegisterFlagCompletionFunc("relation", completions([]string{privacy.ReplaceOne.String(), privacy.AddRemove.String()})))
}

func (f *spendFlags) registerDelta(cmd *cobra.Command) {
	f.registerOptionalDelta(cmd, "only the mechanisms newton, opdisc, prsma, dpsgd, opsamp, and rspm with --noise gauss support a δ above 0")
}

// registerOptionalDelta defines --delta for releases that support a δ of 0. The help ends with the given text.
func (f *spendFlags) registerOptionalDelta(cmd *cobra.Command, when string) {
	cmd.Flags().StringVar(&f.delta, "delta", "0", deltaUsage+"; 0 means a guarantee by ε alone; "+when)
}

// registerRequiredDelta defines --delta for releases that need a δ above 0, so its help states no default.
func (f *spendFlags) registerRequiredDelta(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.delta, "delta", "0", deltaUsage+"; it must be given, because 0 is not supported")
	cmd.Flags().Lookup("delta").DefValue = ""
}

func (f *spendFlags) registerRisk(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.risk, "risk", "", "the `share` of ε, from 0 to 1, that is used to estimate the risk at each total or leaf from noisy counts; 0 means a model without risks (default: "+mechanism.UsualRisk+" for scorecards and trees, "+mechanism.UsualEitherRisk+" for card-or-tree)")
}

func (f *spendFlags) registerTotal(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.total, "total", false, "let --epsilon and --delta bound the privacy loss of this release together with that of the private choice of the schema's cuts and categories (sibyl schema profile), instead of this release alone")
}

// totalOf returns the guarantee of a planned release, g, together with all [[profile]] releases that completed its
// schema. It returns nil if --total is not given, or if the schema has no [[profile]].
func (f *spendFlags) totalOf(g *privacy.Statement, s *table.Schema) *privacy.Statement {
	if !f.total {
		return nil
	}
	total, _ := profiles.Total(g, s)
	return total
}

// completed returns lines about the ε and δ that the [[profile]] releases of the schema consumed, or "" if --total is
// not given. The parameter g is the guarantee of the planned release.
func (f *spendFlags) completed(g *privacy.Statement, s *table.Schema) string {
	if !f.total {
		return ""
	}
	return report.Completed(g, s)
}

// read copies ε, δ, the neighbour relation and the other parameters from the flags to the request.
func (f *spendFlags) read(cmd *cobra.Command, r *release.Request) error {
	var err error
	if r.Epsilon, err = privacy.ParseDecimal(f.epsilon); err != nil {
		return fmt.Errorf("--epsilon %w", err)
	}
	if r.Delta, err = privacy.ParseDecimal(f.delta); err != nil {
		return fmt.Errorf("--delta %w", err)
	}
	if f.relation != "" || cmd.Flags().Changed("relation") {
		if err := r.Relation.UnmarshalText([]byte(f.relation)); err != nil {
			return fmt.Errorf("--relation %w", err)
		}
	}
	if cmd.Flags().Changed("rows") && f.rows < 1 {
		return fmt.Errorf("--rows %d is below 1; %s", f.rows, f.fewRows(cmd))
	}
	if cmd.Flags().Changed("risk") {
		share, err := privacy.ParseDecimal(f.risk)
		if err != nil {
			return fmt.Errorf("--risk %w", err)
		}
		r.Risk = &share
	}
	if f.pad < 0 {
		return fmt.Errorf("--pad-to %v must not be negative; give a duration such as 10s, or 0 for no delay", f.pad)
	}
	r.Rows, r.Total = f.rows, f.total
	if cmd.Flags().Changed("insecure-seed") {
		r.Seed = &f.seed
	}
	return nil
}

// fewRows returns the remedy for the error that the number of rows is less than 1.
func (f *spendFlags) fewRows(cmd *cobra.Command) string {
	if cmd.Flags().Lookup("data") == nil {
		return "a plan is for at least one row"
	}
	return "without --rows the table may be empty"
}

// caution prints a warning if ε exceeds 10, which is a weak guarantee.
func caution(cmd *cobra.Command, epsilon privacy.Decimal) {
	if epsilon.Rat().Cmp(big.NewRat(10, 1)) > 0 {
		cli.Note(cmd, "CAUTION: ε = %s is a weak guarantee: one person's record may change the probability of a result by a factor of e^%s. Usual values are 0.1 to 2.", epsilon, epsilon)
	}
}

// terms opens the account and the log that the flags name. It returns the terms of the release, and a function end
// that closes the account and the log.
func (f *spendFlags) terms(cmd *cobra.Command, files *publish.Claims) (t release.Terms, end func(), err error) {
	for _, path := range account.Files(f.account) {
		if err := files.Reads(path); err != nil {
			return t, nil, err
		}
	}
	log, err := release.OpenLog(f.log, files)
	if err != nil {
		return t, nil, err
	}
	t = release.Terms{Pad: f.pad, Log: log, ProfiledElsewhere: f.elsewhere}
	if f.account == "" {
		return t, log.Close, nil
	}
	a, err := account.Open(cmd.Context(), f.account)
	if err != nil {
		log.Close()
		return t, nil, err
	}
	t.Account = release.Ledger(a)
	return t, func() {
		a.Close()
		log.Close()
	}, nil
}
