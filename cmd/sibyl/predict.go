package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newPredict() *cobra.Command {
	f := &predictFlags{}
	cmd := &cobra.Command{
		Use:   "predict --model model.json --data F --out P.csv",
		Short: "Write a model's prediction for every record",
		Long: `Predict writes a CSV file with a header and one line for each record, in the order of
the data. The data needs no label. The delimiter and the decimal mark are those of the
schema's [file]. The columns are:

  ID          with --id: a column of the data that identifies the record
  prediction  1 for positive and 0 for negative; with --labels, the first of the label's
              positive values in the schema, or the first of its negative values; for a
              label with more than two outcomes, the name of the outcome
  points      for scorecards, halfspaces and additive models: the sum of the points;
  rule        for decision lists: the number of the rule that applies, 0 for none;
  leaf        for decision trees: the number of the leaf
  risk        the estimated fraction of records with a positive label among those with the
              same points, rule or leaf, if the model states risks; for more than two
              outcomes a column for each ("risk of low")

For a record with a value outside the schema's domain all columns but ID are empty, and a
line of a single empty cell is "". The numbers of these records, and of the values that
are missing or outside the domain, are printed on standard error for the curator. The file is
private: only its owner can read it. With --out - the lines are printed on standard output
after all records were read.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	cli.PathVar(flags, &f.model, "model", "the model, a `file` that learn wrote")
	flags.Var(locationFlag{(*cli.PathFlag)(&f.out)}, "out", "the `file` to which the predictions are written, or - for standard output")
	textVar(flags, &f.id, "id", "write this `column` of the data, which identifies the records, as the first column of the output")
	flags.BoolVar(&f.labels, "labels", false, "write values of the label: instead of 1 the first value that the schema lists as positive, and instead of 0 the first that it lists as negative")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
	must(cmd.MarkFlagRequired("model"))
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

type predictFlags struct {
	data       dataFlags
	model, out string
	id         string
	labels     bool
	force      bool
}

// predicted is the output of the command sibyl predict with --json. Its numbers have no privacy guarantee; they are
// for the curator only.
type predicted struct {
	Predictions string    `json:"predictions"`
	Rows        int64     `json:"rows"`
	Empty       int64     `json:"empty"` // rows without a prediction
	Reasons     []*reason `json:"reasons,omitempty"`
}

// A reason counts the rows that have no prediction because of their value in one column.
type reason struct {
	Column  string `json:"column"`
	Missing int64  `json:"missing"` // rows whose value is missing
	Outside int64  `json:"outside"` // rows whose value is present but outside the domain
}

func (f *predictFlags) run(cmd *cobra.Command) error {
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	p, err := newPredictor(m, f.id)
	if err != nil {
		return err
	}
	if f.labels {
		if err := p.labels(m.Schema.Label); err != nil {
			return err
		}
	}
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON && f.out == "-" {
		return errors.New("--json and --out - both print on standard output; leave one of them out")
	}
	files, err := claimInputs(cmd, &f.data, f.model)
	if err != nil {
		return err
	}
	if f.out == "-" {
		var lines bytes.Buffer
		if err := f.predict(cmd, m, p, &lines); err != nil {
			return err
		}
		p.note(cmd)
		_, err := lines.WriteTo(cmd.OutOrStdout())
		return err
	}
	err = publishFile(cmd, files, f.out, f.force, publish.ForCurator, func(w io.Writer) error { return f.predict(cmd, m, p, w) })
	if err != nil {
		return err
	}
	p.note(cmd)
	return cli.Print(cmd, predicted{f.out, p.rows, p.empty, p.found()}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: a line for each of %d records.\n", quote.Name(f.out), p.rows)
		return err
	})
}

// predict writes predictions of the model m as CSV: a header, and a line for each record of the data.
func (f *predictFlags) predict(cmd *cobra.Command, m *model.Model, p *predictor, w io.Writer) error {
	b := newBar(cmd)
	from := f.data.from(cmd, b)
	from.LabelOptional, from.Keep, from.Reasons = true, f.id, true
	p.w = w
	if err := p.header(); err != nil {
		return err
	}
	err := from.Records(cmd.Context(), m.Schema, p.write)
	b.erase()
	return err
}

// A predictor writes a line with the model's prediction for each record of the data.
type predictor struct {
	predict func(table.Record) int          // returns the index of the predicted outcome
	cells   [][]byte                        // the text of each outcome
	id      string                          // the name of the first column, or empty
	grade   string                          // the name of the column of points, rules or leaves, or empty
	grader  func(table.Record) int          // returns the value in this column
	risk    func(table.Record) []risk.Share // returns the values in the last columns; nil if there are none
	risked  []string                        // the names of these columns
	file    *table.File                     // has the delimiter and the decimal mark
	w       io.Writer
	line    []byte

	rows    int64     // number of lines written
	empty   int64     // number of lines without a prediction
	columns []int     // by attribute, the index of its column in reasons
	reasons []*reason // the reasons for missing predictions, by column
	counted []bool    // by column, whether the current record is counted in its reason; reused for the next record
}

func newPredictor(m *model.Model, id string) (*predictor, error) {
	predict, err := m.Outcome()
	if err != nil {
		return nil, err
	}
	p := &predictor{predict: predict, cells: [][]byte{{'0'}, {'1'}}, id: id, file: &m.Schema.File}
	for j := range m.Schema.Attributes {
		column := m.Schema.Attributes[j].Column
		at := slices.IndexFunc(p.reasons, func(r *reason) bool { return r.Column == column })
		if at < 0 {
			at, p.reasons = len(p.reasons), append(p.reasons, &reason{Column: column})
		}
		p.columns = append(p.columns, at)
	}
	p.counted = make([]bool, len(p.reasons))
	if names := m.Schema.Label.Outcomes(); names != nil {
		p.cells = nil
		for _, name := range names {
			p.cells = append(p.cells, p.appendCell(nil, []byte(name)))
		}
	}
	p.grade = export.MeasureOf(m.Rule())
	_, p.grader = m.Grader()
	if p.risk = m.Risk(); p.risk != nil {
		p.risked = []string{risked}
		if names := m.Schema.Label.Outcomes(); names != nil {
			p.risked = nil
			for _, name := range names {
				p.risked = append(p.risked, risked+" of "+name)
			}
		}
	}
	if id != "" && (id == prediction || id == p.grade || slices.Contains(p.risked, id)) {
		return nil, fmt.Errorf("--id %s: the output already has a column of that name; rename the column of the data", quote.Word(id))
	}
	return p, nil
}

// These constants are the names of the columns of predictions and of risks. If there are several columns of risks,
// their names begin with risked.
const prediction, risked = "prediction", "risk"

// riskDigits is the number of decimals with which a risk (an estimated probability of the outcome) is printed.
const riskDigits = 4

func (p *predictor) header() error {
	if p.line = p.line[:0]; p.id != "" {
		p.line = append(p.appendCell(p.line, []byte(p.id)), p.file.Delimiter)
	}
	p.line = append(p.line, prediction...)
	if p.grade != "" {
		p.line = append(append(p.line, p.file.Delimiter), p.grade...)
	}
	for _, name := range p.risked {
		p.line = p.appendCell(append(p.line, p.file.Delimiter), []byte(name))
	}
	_, err := p.w.Write(append(p.line, '\n'))
	return err
}

// appendCell appends a text as a CSV cell.
func (p *predictor) appendCell(dst, text []byte) []byte {
	if !bytes.ContainsAny(text, "\"\r\n") && bytes.IndexByte(text, p.file.Delimiter) < 0 && len(bytes.TrimSpace(text)) == len(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}

// appendRisks appends the cells with the risks of the row r to the line, each after a delimiter.
func (p *predictor) appendRisks(line []byte, r source.Row) []byte {
	if r.Null {
		return append(line, strings.Repeat(string(rune(p.file.Delimiter)), len(p.risked))...)
	}
	for _, s := range p.risk(r.Record) {
		if line = append(line, p.file.Delimiter); s.Value != nil {
			text := strconv.AppendFloat(nil, *s.Value, 'f', riskDigits, 64)
			line = p.appendCell(line, bytes.Replace(text, []byte{'.'}, []byte{p.file.Decimal}, 1))
		}
	}
	return line
}

func (p *predictor) write(r source.Row) error {
	if p.rows++; r.Null {
		p.empty++
		p.explain(r)
	}
	if p.line = p.line[:0]; p.id != "" {
		p.line = append(p.appendCell(p.line, r.Kept), p.file.Delimiter)
	}
	switch {
	case r.Null && p.grade == "" && p.id == "" && p.risk == nil:
		p.line = append(p.line, `""`...) // many readers skip an empty line
	case r.Null:
	default:
		p.line = append(p.line, p.cells[p.predict(r.Record)]...)
	}
	if p.grade != "" {
		p.line = append(p.line, p.file.Delimiter)
		if !r.Null {
			p.line = strconv.AppendInt(p.line, int64(p.grader(r.Record)), 10)
		}
	}
	if p.risk != nil {
		p.line = p.appendRisks(p.line, r)
	}
	p.line = append(p.line, '\n')
	_, err := p.w.Write(p.line)
	return err
}

// labels makes p write values of the label instead of 0 and 1: the first negative and the first positive value that
// the schema lists.
func (p *predictor) labels(l *table.Label) error {
	switch {
	case l.Outcomes() != nil: // their names are written already
	case len(l.Positive) == 0:
		return errors.New("--labels requires a label with listed values, but the label of this model is defined by a threshold (at_least); leave --labels out")
	default:
		p.cells = [][]byte{p.appendCell(nil, []byte(l.Negative[0])), p.appendCell(nil, []byte(l.Positive[0]))}
	}
	return nil
}

// explain counts a row that has no prediction, once for each column that is a reason for this.
func (p *predictor) explain(r source.Row) {
	clear(p.counted)
	for j, code := range r.Values {
		at := p.columns[j]
		switch {
		case code != source.Outside || p.counted[at]:
			continue
		case r.Absent[j] == 1:
			p.reasons[at].Missing++
		default:
			p.reasons[at].Outside++
		}
		p.counted[at] = true
	}
}

// found returns the reasons that apply to at least one row.
func (p *predictor) found() (all []*reason) {
	for _, r := range p.reasons {
		if r.Missing+r.Outside > 0 {
			all = append(all, r)
		}
	}
	return all
}

// note prints how many rows of the data have no prediction, and for which reasons.
func (p *predictor) note(cmd *cobra.Command) {
	if p.empty == 0 {
		return
	}
	cli.Note(cmd, "%d of %d rows have no prediction, since a value is missing or lies outside the schema's domain; sibyl check finds these values. For the curator only:", p.empty, p.rows)
	for _, r := range p.found() {
		cli.Note(cmd, "  %s: missing in %d, outside the domain in %d of these rows", quote.Word(r.Column), r.Missing, r.Outside)
	}
}
