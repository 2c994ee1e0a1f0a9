package main

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
)

// privacyFlags say what is promised.
type privacyFlags struct {
	epsilon  string
	relation string
	seed     uint64
}

func (f *privacyFlags) register(cmd *cobra.Command, epsilon string) {
	f.registerEpsilon(cmd, epsilon)
	cmd.Flags().StringVar(&f.relation, "relation", f.relation, "what neighbouring tables differ in: a record that is replaced (replace; the number of records is public) or one that is there or not (add-remove)")
}

// registerEpsilon is for what knows replacing only.
func (f *privacyFlags) registerEpsilon(cmd *cobra.Command, epsilon string) {
	f.relation = privacy.ReplaceOne.String()
	cmd.Flags().StringVar(&f.epsilon, "epsilon", "", epsilon)
}

func (f *privacyFlags) registerSeed(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.seed, "insecure-seed", 0, "take the coins from a `number`, for tests: this voids the guarantee")
}

// An ε outside of this range is a mistake: below it nothing is learned, above
// it nothing is hidden.
var (
	leastEpsilon = big.NewRat(1, 1_000_000)
	mostEpsilon  = big.NewRat(1_000_000, 1)
)

func (f *privacyFlags) read() (epsilon privacy.Decimal, r privacy.Relation, err error) {
	if epsilon, err = privacy.ParseDecimal(f.epsilon); err != nil {
		return epsilon, r, fmt.Errorf("--epsilon %w", err)
	}
	if e := epsilon.Rat(); e.Cmp(leastEpsilon) < 0 || e.Cmp(mostEpsilon) > 0 {
		return epsilon, r, fmt.Errorf("--epsilon %s is outside 0.000001..1000000; usual values are 0.1 to 2", epsilon)
	}
	if err := r.UnmarshalText([]byte(f.relation)); err != nil {
		return epsilon, r, fmt.Errorf("--relation %w", err)
	}
	return epsilon, r, nil
}

// caution tells that a promise says little, above ten times what is usual.
func (f *privacyFlags) caution(cmd *cobra.Command) {
	if epsilon, _, err := f.read(); err == nil && epsilon.Rat().Cmp(big.NewRat(10, 1)) > 0 {
		note(cmd, "CAUTION: ε = %s promises little, since one person's record may change the odds of a result by a factor of e^%s; usual values are 0.1 to 2.", epsilon, epsilon)
	}
}

// coins returns the randomness, and whether it is insecure.
func (f *privacyFlags) coins(cmd *cobra.Command) (c noise.Coins, insecure bool) {
	if cmd.Flags().Changed("insecure-seed") {
		return noise.Insecure(f.seed), true
	}
	return noise.Crypto(), false
}

// mechanismFlags say how a hypothesis is chosen.
type mechanismFlags struct {
	privacyFlags
	delta        string
	name         string
	oracle       string
	noise        string
	grid         int64
	rows         int64
	sample       int64
	sampleRate   string
	share        privacy.Decimal // sampleRate, once read
	calls        int64
	nodes        int64
	progress     bool
	boosting     boostFlags
	columns      string
	ridge        int64
	descent      descentFlags
	perturbation perturbationFlags
}

// mechanismNames are the mechanisms, in the order in which people meet them.
var mechanismNames = []string{model.Exponential, model.RSPM, model.OPDisc, model.PRSMA, model.Boost}

// mechanismsOf lists the mechanisms of classes that are not searched, the usual one
// first.
var mechanismsOf = map[string][]string{
	model.NaiveBayes:   {model.Statistical},
	model.Logistic:     {model.DPSGD, model.OPSamp, model.Exponential},
	model.SVM:          {model.OPSamp, model.Exponential},
	model.LeastSquares: {model.OPSamp},
}

// approximateOnly are the mechanisms whose guarantee always has a δ.
var approximateOnly = []string{model.PRSMA, model.DPSGD, model.OPSamp}

// mechanismsWith lists, for each flag that not all mechanisms have, those that
// do.
var mechanismsWith = map[string][]string{
	"sample":        {model.Exponential},
	"sample-rate":   {model.Exponential},
	"oracle":        {model.RSPM, model.OPDisc, model.PRSMA},
	"grid":          {model.RSPM, model.OPDisc, model.PRSMA},
	"distance":      {model.RSPM, model.OPDisc, model.PRSMA},
	"noise":         {model.RSPM, model.PRSMA},
	"rows":          {model.Exponential, model.PRSMA, model.Boost, model.DPSGD, model.OPSamp},
	"parts":         {model.Boost},
	"validation":    {model.Boost},
	"columns":       {model.DPSGD, model.OPSamp, model.Exponential},
	"ridge":         {model.Exponential},
	"bound":         {model.OPSamp, model.Exponential},
	"minimisers":    {model.OPSamp},
	"term-rate":     {model.OPSamp},
	"slack":         {model.OPSamp},
	"steps":         {model.DPSGD},
	"clip":          {model.DPSGD},
	"learning-rate": {model.DPSGD},
	"share":         {model.DPSGD},
	"calls":         {model.PRSMA},
	"node-budget":   {model.PRSMA},
	"progress":      {model.PRSMA},
}

// mechanismHelp tells what they are.
const mechanismHelp = `The mechanisms:
  exponential  draws a hypothesis, the likelier the fewer its errors: the best, and pure
  rspm         adds noise to the costs and asks an oracle for the least
  opdisc       the same, with noise of spherical shape
  prsma        runs rspm on many parts of the data; its guarantee holds however the
               oracle fails, and it may release nothing
  boost        runs exponential on parts of the data, and picks from the results on the
               last part
Of classes that are not searched, the usual one first:
  statistical  (naive-bayes) noisy counts
  dpsgd        (logistic) gradient descent with noise in each step; parameters that were
               tuned on the data cost privacy that ε does not cover
  opsamp       (logistic, svm, least-squares) the mean of minimisers of randomly perturbed
               losses, with noise that drowns it on tables of usual sizes: see plan
  exponential  (logistic, svm) draws whole weights, the likelier the less their loss: pure`

func (f *mechanismFlags) register(cmd *cobra.Command) {
	f.privacyFlags.register(cmd, "the privacy loss `ε`, a decimal such as 0.5")
	f.registerSeed(cmd)
	f.registerDelta(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.name, "mechanism", model.Exponential, "the `mechanism`: "+strings.Join(mechanismNames, ", ")+"; those of other classes are above")
	flags.StringVar(&f.oracle, "oracle", "search", "of rspm, opdisc and prsma: search, exhaustive (small classes only), transform (conjunctions, parities and read-once formulas, all costs at once), or a solver: toulbar2, clasp, cbc, highs")
	flags.StringVar(&f.noise, "noise", learn.Laplace.String(), "of rspm and prsma: laplace or cube; of rspm also gauss, which needs --delta")
	flags.Int64Var(&f.grid, "grid", 0, "of rspm, opdisc and prsma: noise comes in steps of 1/`G` errors; 0 chooses")
	flags.Int64Var(&f.rows, "rows", 0, "of prsma, boost, --sample, dpsgd and opsamp: how many `rows` the data has, null ones included; this is public (with --relation add-remove, about how many)")
	f.registerSample(cmd)
	f.registerCalls(cmd)
	flags.Int64Var(&f.nodes, "node-budget", 1_000_000, "of prsma: a call of the oracle fails after so many `nodes`")
	flags.BoolVar(&f.progress, "progress", false, "of prsma, on a terminal: show how far it is, and the curator alone may see that")
	f.boosting.register(cmd)
	f.registerAdditive(cmd)
	must(cmd.MarkFlagRequired("epsilon"))
}

// registerAdditive is for mechanisms of classes that are not searched.
func (f *mechanismFlags) registerAdditive(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.columns, "columns", convex.OneHot.String(), "of logistic, svm and least-squares: a column for each category (one-hot), for each but the first (reference), or for each binary digit of its number (binary)")
	cmd.Flags().Int64Var(&f.ridge, "ridge", 0, "of exponential with logistic or svm: charge `R` times the square of every weight, in thousandths of a logistic loss or in points")
	f.descent.register(cmd)
	f.perturbation.register(cmd)
}

func (f *mechanismFlags) registerDelta(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.delta, "delta", "0", "the `δ` of an (ε, δ) guarantee, for opdisc, prsma, dpsgd, opsamp and rspm with gauss; 0: the guarantee is pure")
}

func (f *mechanismFlags) registerSample(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.sample, "sample", 0, "of exponential: draw on a secret random sample of `K` rows instead of all")
	cmd.Flags().StringVar(&f.sampleRate, "sample-rate", "", "of exponential with --relation add-remove: draw on a secret sample that takes each row with the probability `Q`")
}

func (f *mechanismFlags) registerCalls(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.calls, "calls", 4000, "of prsma: call the oracle at most `N` times; it takes some multiple of 1/δ")
}

// check reports flags that do not go with the mechanism, which is to be one of
// those named.
func (f *mechanismFlags) check(cmd *cobra.Command, class string) error {
	names, additive := mechanismsOf[class]
	switch {
	case !additive:
		names = mechanismNames
	case !cmd.Flags().Changed("mechanism"):
		f.name = names[0]
	}
	if !slices.Contains(names, f.name) {
		return fmt.Errorf("--mechanism %s does not go with --class %s, which has %s", quote.Word(f.name), class, strings.Join(names, ", "))
	}
	flag, with := strayOf(cmd, []string{f.name}, "")
	switch {
	case flag != "":
		return fmt.Errorf("--%s goes with --mechanism %s, not with %s", flag, with, f.name)
	case f.grid < 0 || f.grid > learn.MostGrid:
		return fmt.Errorf("--grid %d is outside 1..%d", f.grid, learn.MostGrid)
	case f.name == model.PRSMA && model.OnItsWord(f.oracle):
		return fmt.Errorf("--mechanism prsma does not go with --oracle %s: only the solver's word stands for its answers, and the guarantee could not say so", f.oracle)
	case f.name == model.Exponential && cmd.Flags().Changed("rows") && f.sample == 0:
		return errors.New("--rows goes with --sample K, or with --mechanism prsma; the number of rows is read from the data")
	}
	return nil
}

// strayOf returns a flag that goes with none of the mechanisms, and those it goes with;
// both are empty where there is none. One flag may be the command's own.
func strayOf(cmd *cobra.Command, mechanisms []string, own string) (flag, with string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		names, listed := mechanismsWith[f.Name]
		if listed && f.Name != own && !slices.ContainsFunc(mechanisms, func(m string) bool { return slices.Contains(names, m) }) {
			flag, with = f.Name, strings.Join(names, ", ")
		}
	})
	return flag, with
}

// parseDelta returns a δ below 1.
func (f *mechanismFlags) parseDelta() (privacy.Decimal, error) {
	d, err := privacy.ParseDecimal(f.delta)
	if err != nil {
		return d, fmt.Errorf("--delta %w", err)
	}
	if d.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return d, fmt.Errorf("--delta %s is not below 1; usual values are far below 1 over the number of rows", d)
	}
	return d, nil
}

// readDelta returns δ, which must be 0 or must not, or may be either.
func (f *mechanismFlags) readDelta() (privacy.Decimal, error) {
	d, err := f.parseDelta()
	if err != nil {
		return d, err
	}
	if f.name == model.OPDisc {
		return d, nil
	}
	needs := f.name
	if f.name == model.RSPM && f.noise == model.Gauss {
		needs += " with --noise gauss"
	}
	switch wants := needs != f.name || slices.Contains(approximateOnly, f.name); {
	case wants && d.IsZero():
		return d, fmt.Errorf("--mechanism %s needs a --delta above 0, such as 1e-6", needs)
	case !wants && !d.IsZero():
		return d, f.pure()
	}
	return d, nil
}

// pure reports a δ that nothing has a use for.
func (f *mechanismFlags) pure() error {
	return fmt.Errorf("--delta %s: the guarantee is pure, its delta is 0; leave the flag out", quote.Word(f.delta))
}

// rate returns λ of the exponential mechanism, nil for another mechanism.
func (f *mechanismFlags) rate(l learn.Loss) (*big.Rat, error) {
	epsilon, relation, err := f.privacyFlags.read()
	if err != nil || f.name != model.Exponential {
		return nil, err
	}
	if epsilon, err = f.beforeSampling(epsilon, relation); err != nil {
		return nil, err
	}
	return exponentialRate(epsilon, relation, l), nil
}

// exponentialRate returns λ, nil for a loss that is none.
func exponentialRate(epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) *big.Rat {
	if l.Validate() != nil {
		return nil
	}
	return learn.Rate(epsilon, r, l)
}

// samples tells whether the mechanism runs on a sample.
func (f *mechanismFlags) samples() bool { return f.sample != 0 || f.sampleRate != "" }

// beforeSampling returns the ε that the mechanism on the sample may have, which is
// that of the release where there is none.
func (f *mechanismFlags) beforeSampling(epsilon privacy.Decimal, r privacy.Relation) (inner privacy.Decimal, err error) {
	switch {
	case f.sampleRate != "" && f.sample != 0:
		return inner, errors.New("--sample and --sample-rate exclude each other")
	case f.sampleRate != "":
		return f.beforePoisson(epsilon, r)
	case f.sample == 0:
		return epsilon, nil
	}
	if err := f.checkRows("--sample", r); err != nil {
		return inner, err
	}
	if f.sample < 1 || f.sample > f.rows {
		return inner, fmt.Errorf("--sample %d is outside 1..%d, the number of rows", f.sample, f.rows)
	}
	if inner, err = learn.BeforeSampling(epsilon, big.NewRat(f.sample, f.rows)); err != nil {
		return inner, fmt.Errorf("--sample %d: %w", f.sample, err)
	}
	return inner, nil
}

func (f *mechanismFlags) beforePoisson(epsilon privacy.Decimal, r privacy.Relation) (inner privacy.Decimal, err error) {
	if r != privacy.AddRemove {
		return inner, errors.New("--sample-rate goes with --relation add-remove only; with replace take --sample")
	}
	if f.share, err = privacy.ParseDecimal(f.sampleRate); err != nil {
		return inner, fmt.Errorf("--sample-rate %w", err)
	}
	if f.share.IsZero() || f.share.Rat().Cmp(big.NewRat(1, 1)) > 0 {
		return inner, fmt.Errorf("--sample-rate %s is outside (0, 1]", f.share)
	}
	if inner, err = learn.BeforeSampling(epsilon, f.share.Rat()); err != nil {
		return inner, fmt.Errorf("--sample-rate %s: %w", f.share, err)
	}
	return inner, nil
}

// checkRows checks the public number of rows, for what divides them.
func (f *mechanismFlags) checkRows(what string, r privacy.Relation) error {
	if r != privacy.ReplaceOne {
		return fmt.Errorf("%s goes with --relation replace only: it divides a number of rows that is public", what)
	}
	return f.needRows(what)
}

// needRows checks a number of rows that may be a guess.
func (f *mechanismFlags) needRows(what string) error {
	switch {
	case f.rows == 0:
		return fmt.Errorf("%s needs --rows, the number of rows of the data, null ones included", what)
	case f.rows < 1 || f.rows > learn.MostRows:
		return fmt.Errorf("--rows %d is outside 1..%d", f.rows, int64(learn.MostRows))
	}
	return nil
}
