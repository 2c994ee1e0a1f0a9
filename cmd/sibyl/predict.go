package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
the data. The data needs no label. The columns are:

  ID          with --id: a column of the data that identifies the record
  prediction  1 for the label's positive values and 0 for its negative values; for a
              label with more than two outcomes, the name of the outcome
  total       for scorecards and halfspaces: the sum of the points;
  rule        for decision lists: the number of the rule that applies, 0 for none;
  leaf        for decision trees: the number of the leaf
  risk        the estimated fraction of such records with a positive label, if the model
              states risks; for more than two outcomes a column for each ("risk of low")

For a record with a value outside the schema's domain all columns but ID are empty, and a
line of a single empty cell is "". The number of these records is printed on standard
error. The file is private: only its owner can read it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.model, "model", "the model, a `file` that learn wrote")
	pathVar(flags, &f.out, "out", "the `file` for the predictions")
	textVar(flags, &f.id, "id", "copy this `column` of the data to the first column")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	must(cmd.MarkFlagRequired("model"))
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

type predictFlags struct {
	data       dataFlags
	model, out string
	id         string
	force      bool
}

// predicted is the output of predict --json.
type predicted struct {
	Predictions string `json:"predictions"`
	Rows        int64  `json:"rows"`
	Empty       int64  `json:"empty"` // rows without a prediction
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
	files, err := claimInputs(cmd, &f.data, f.model)
	if err != nil {
		return err
	}
	out, err := publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForCurator)
	if err != nil {
		return err
	}
	defer out.Discard()
	b := newBar(cmd)
	from := f.data.from(cmd, b)
	from.LabelOptional, from.Keep = true, f.id
	p.w = out
	if err := p.header(); err != nil {
		return err
	}
	err = from.Records(cmd.Context(), m.Schema, p.write)
	b.erase()
	if err != nil {
		return err
	}
	if err := out.Publish(cmd.Context()); err != nil {
		return err
	}
	if p.empty > 0 {
		note(cmd, "%d of %d rows have no prediction, since a value lies outside the schema's domain; sibyl check finds these values.", p.empty, p.rows)
	}
	return printing(cmd, predicted{f.out, p.rows, p.empty}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: a line for each of %d records.\n", quote.Name(f.out), p.rows)
		return err
	})
}

// A predictor writes a line for each record.
type predictor struct {
	predict func(table.Record) int          // returns the index of the predicted outcome
	cells   [][]byte                        // the text of each outcome
	id      string                          // the name of the first column, or empty
	grade   string                          // the name of the column of totals, rules or leaves, or empty
	grader  func(table.Record) int          // returns the value in this column
	risk    func(table.Record) []risk.Share // returns the values in the last columns; nil if there are none
	risked  []string                        // the names of these columns
	w       io.Writer
	line    []byte

	rows  int64 // number of lines written
	empty int64 // number of lines without a prediction
}

func newPredictor(m *model.Model, id string) (*predictor, error) {
	predict, err := m.Outcome()
	if err != nil {
		return nil, err
	}
	p := &predictor{predict: predict, cells: [][]byte{{'0'}, {'1'}}, id: id}
	if names := m.Schema.Label.Outcomes(); names != nil {
		p.cells = nil
		for _, name := range names {
			p.cells = append(p.cells, appendCell(nil, []byte(name)))
		}
	}
	p.grade, p.grader = m.Grader()
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

// prediction is the name of the column of predictions. risked is the name of the column of risks,
// or the beginning of their names if there are several.
const prediction, risked = "prediction", "risk"

// riskDigits is the number of decimals of a risk.
const riskDigits = 4

func (p *predictor) header() error {
	if p.line = p.line[:0]; p.id != "" {
		p.line = append(appendCell(p.line, []byte(p.id)), ',')
	}
	p.line = append(p.line, prediction...)
	if p.grade != "" {
		p.line = append(append(p.line, ','), p.grade...)
	}
	for _, name := range p.risked {
		p.line = appendCell(append(p.line, ','), []byte(name))
	}
	_, err := p.w.Write(append(p.line, '\n'))
	return err
}

// appendCell appends a text as a CSV cell.
func appendCell(dst, text []byte) []byte {
	if !bytes.ContainsAny(text, ",\"\r\n") && len(bytes.TrimSpace(text)) == len(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, bytes.ReplaceAll(text, []byte(`"`), []byte(`""`))...)
	return append(dst, '"')
}

// appendRisks appends the cells of the risks, each after a comma.
func (p *predictor) appendRisks(line []byte, r source.Row) []byte {
	if r.Null {
		return append(line, strings.Repeat(",", len(p.risked))...)
	}
	for _, s := range p.risk(r.Record) {
		if line = append(line, ','); s.Value != nil {
			line = strconv.AppendFloat(line, *s.Value, 'f', riskDigits, 64)
		}
	}
	return line
}

func (p *predictor) write(r source.Row) error {
	if p.rows++; r.Null {
		p.empty++
	}
	if p.line = p.line[:0]; p.id != "" {
		p.line = append(appendCell(p.line, r.Kept), ',')
	}
	switch {
	case r.Null && p.grade == "" && p.id == "" && p.risk == nil:
		p.line = append(p.line, `""`...) // many readers skip an empty line
	case r.Null:
	default:
		p.line = append(p.line, p.cells[p.predict(r.Record)]...)
	}
	if p.grade != "" {
		p.line = append(p.line, ',')
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
