package main

import (
	"fmt"
	"io"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func newEvaluate() *cobra.Command {
	f := &evaluateFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model model.json --data F",
		Short: "Count a model's errors, for the curator or privately",
		Long: `Evaluate counts the records that the model predicts wrongly. Records with a
value outside the schema's domain count as rows, but not as errors.

Without --epsilon the numbers are exact, and for the curator alone. With it, the
errors are told with discrete Laplace noise of scale 1/ε and nothing else is.
Under --relation replace the number of rows is public, and so an accuracy is
given too; under add-remove it is not.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.privacy.register(cmd, "tell only an estimate, private with this `ε`")
	f.privacy.registerSeed(cmd)
	pathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that learn wrote")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type evaluateFlags struct {
	data    dataFlags
	privacy privacyFlags
	model   string
}

func (f *evaluateFlags) run(cmd *cobra.Command) error {
	private := cmd.Flags().Changed("epsilon")
	var mechanism *learn.Count
	if private {
		epsilon, relation, err := f.privacy.read()
		if err != nil {
			return err
		}
		if mechanism, err = learn.NewCount(epsilon, relation); err != nil {
			return err
		}
		f.privacy.caution(cmd)
	} else if cmd.Flags().Changed("relation") || cmd.Flags().Changed("insecure-seed") {
		return fmt.Errorf("--relation and --insecure-seed go with --epsilon, for a private estimate")
	}
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	predict, err := m.Predictor()
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, &f.data, f.model); err != nil {
		return err
	}
	b := newBar(cmd)
	t, err := source.Read(cmd.Context(), f.data.location, m.Schema, f.data.options(cmd, b))
	b.erase()
	if err != nil {
		return err
	}
	wrong := errorsOf(predict, t)
	if private {
		return f.estimate(cmd, mechanism, t.Rows(), wrong)
	}
	return tell(cmd, t, wrong)
}

// errorsOf counts the rows that are predicted wrongly.
func errorsOf(predict func(table.Record) bool, t *table.Table) int64 {
	wrong := int64(0)
	for i := range t.Len() {
		if predict(t.Record(i)) != t.Label(i) {
			wrong += t.Count(i)
		}
	}
	return wrong
}

// evaluated is what evaluate --json prints.
type evaluated struct {
	Rows     int64    `json:"rows"` // null records included
	Errors   int64    `json:"errors"`
	Accuracy *float64 `json:"accuracy"` // 1 - errors/rows; null without rows
	Null     int64    `json:"null"`
}

// accuracy returns 1 - errors/rows.
func accuracy(errors, rows int64) *float64 {
	if rows == 0 {
		return nil
	}
	a, _ := big.NewRat(rows-errors, rows).Float64()
	return &a
}

func tell(cmd *cobra.Command, t *table.Table, wrong int64) error {
	noteCurator(cmd)
	e := evaluated{t.Rows(), wrong, accuracy(wrong, t.Rows()), t.Nulls()}
	return printing(cmd, e, func(w io.Writer) error {
		rows := [][]string{
			{"rows", fmt.Sprint(e.Rows)},
			{"  outside the schema's domain", fmt.Sprint(e.Null)},
			{"errors", fmt.Sprint(e.Errors)},
		}
		if e.Accuracy != nil {
			rows = append(rows, []string{"accuracy", fmt.Sprintf("%.2f %%", 100**e.Accuracy)})
		}
		return report.WriteList(w, rows)
	})
}

// estimated is what evaluate --epsilon --json prints. What depends on the number
// of rows is null where that is private.
type estimated struct {
	Errors           *big.Int         `json:"errors"`
	ErrorsInterval   [2]*big.Int      `json:"errors_interval"`
	Rows             *int64           `json:"rows"`
	Accuracy         *float64         `json:"accuracy"`
	AccuracyInterval *[2]float64      `json:"accuracy_interval"`
	Confidence       float64          `json:"confidence"`
	Guarantee        *model.Guarantee `json:"guarantee"`
	NotPrivate       model.Void       `json:"not_private,omitempty"`
}

// estimate tells the errors with noise, cut to what is possible.
func (f *evaluateFlags) estimate(cmd *cobra.Command, m *learn.Count, rows, wrong int64) error {
	coins, insecure := f.privacy.coins(cmd)
	drawn, err := m.Release(cmd.Context(), wrong, coins)
	if err != nil {
		return errWithheld
	}
	e := estimated{Confidence: learn.Confidence}
	top := (*big.Int)(nil)
	if m.Guarantee().Relation() == privacy.ReplaceOne {
		e.Rows, top = &rows, big.NewInt(rows)
	}
	width := m.HalfWidth()
	e.Errors = cut(drawn, top)
	e.ErrorsInterval = [2]*big.Int{cut(new(big.Int).Sub(drawn, width), top), cut(new(big.Int).Add(drawn, width), top)}
	if top != nil && rows > 0 {
		e.Accuracy = accuracy(e.Errors.Int64(), rows)
		e.AccuracyInterval = &[2]float64{*accuracy(e.ErrorsInterval[1].Int64(), rows), *accuracy(e.ErrorsInterval[0].Int64(), rows)}
	}
	if insecure {
		e.NotPrivate = model.InsecureSeed
	} else if e.Guarantee, err = model.State(m.Guarantee()); err != nil {
		return errWithheld
	}
	return e.print(cmd)
}

// cut returns v, at least 0 and at most top, nil for no limit.
func cut(v, top *big.Int) *big.Int {
	if v.Sign() < 0 {
		return new(big.Int)
	}
	if top != nil && v.Cmp(top) > 0 {
		return top
	}
	return v
}

func (e estimated) print(cmd *cobra.Command) error {
	err := printing(cmd, e, func(w io.Writer) error {
		of := ""
		if e.Rows != nil {
			of = fmt.Sprintf(" of %d rows", *e.Rows)
		}
		rows := [][]string{{"errors, about", e.Errors.String() + of}, {"  between", e.ErrorsInterval[0].String() + " and " + e.ErrorsInterval[1].String()}}
		if e.Accuracy != nil {
			rows = append(rows,
				[]string{"accuracy, about", fmt.Sprintf("%.2f %%", 100**e.Accuracy)},
				[]string{"  between", fmt.Sprintf("%.2f %% and %.2f %%", 100*e.AccuracyInterval[0], 100*e.AccuracyInterval[1])})
		}
		if err := report.WriteList(w, rows); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\nThe intervals hold with a probability of %.0f %%.\n%s", 100*e.Confidence, report.Guarantee("estimate", e.Guarantee, e.NotPrivate))
		return err
	})
	noteSpent(cmd, e.Guarantee, e.NotPrivate)
	return err
}
