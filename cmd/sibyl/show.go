package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show model.json",
		Short: "Show a model in readable form",
		Long: `Show writes the model for use by hand, in the words of the schema: a scorecard
as blocks of points with what each total predicts, a list or a formula as
sentences; and the guarantee in plain words. With --html it also
writes a page to print, on which a decision tree is drawn. Of synthetic data it tells
what was measured, and the page has charts of that; all of it is for anyone. Of a decision tree, --rules writes nothing but a line for each
leaf, of which one applies to each record: its conditions, prediction and risk.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("the command takes one model, as in: sibyl show model.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	pathVar(cmd.Flags(), &f.html, "html", "a `file` for the model as a page")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "of a decision tree: write its leaves as rules, and nothing else")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type showFlags struct {
	html  string
	rules bool
	force bool
}

// shown is the output of show --json.
type shown struct {
	report.Sheet
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
}

// ruled is the output of show --rules --json.
type ruled struct {
	Rules []report.Leaf `json:"rules"`
}

func (f *showFlags) run(cmd *cobra.Command, path string) error {
	text, err := readText(path)
	if err != nil {
		return err
	}
	if synthetic.Is(text) {
		return f.synthetic(cmd, path, text)
	}
	m, err := mechanism.Read(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	sheet := sheetOf(m)
	rules, err := sheet.Rules()
	if f.rules && err != nil {
		return fmt.Errorf("--rules: %w, and this is a %s", err, sheet.Thing())
	}
	guarantee := report.Guarantee(sheet.Thing(), m.Guarantee, m.Void.Text())
	files, err := claimInputs(cmd, nil, path)
	if err != nil {
		return err
	}
	if f.html != "" {
		var page bytes.Buffer
		if err := sheet.WriteHTML(&page, guarantee); err != nil {
			return err
		}
		if err := f.writePage(cmd.Context(), files, page.Bytes()); err != nil {
			return err
		}
	}
	if f.rules {
		return printing(cmd, ruled{rules}, sheet.WriteRules)
	}
	if sheet.Always != "" {
		note(cmd, "%s", quote.Clean(adviceOnConstant(m, sheet)))
	}
	return printing(cmd, shown{sheet, m.Guarantee, m.Void}, func(w io.Writer) error {
		if err := sheet.Write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s", guarantee)
		return err
	})
}

// shownSynthetic is the output of show --json for synthetic data.
type shownSynthetic struct {
	synthetic.Card
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
}

// synthetic shows a model of synthetic data.
func (f *showFlags) synthetic(cmd *cobra.Command, path string, text []byte) error {
	m, err := synthetic.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	if f.rules {
		return errors.New("--rules: the model must be a decision tree, and this is synthetic data")
	}
	files, err := claimInputs(cmd, nil, path)
	if err != nil {
		return err
	}
	if f.html != "" {
		var page bytes.Buffer
		if err := m.WriteHTML(cmd.Context(), &page, synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)}); err != nil {
			return err
		}
		if err := f.writePage(cmd.Context(), files, page.Bytes()); err != nil {
			return err
		}
	}
	card := m.Card()
	return printing(cmd, shownSynthetic{card, m.Guarantee, m.Void}, card.Write)
}

func (f *showFlags) writePage(ctx context.Context, files *publish.Claims, page []byte) error {
	out, err := publish.NewDraft(ctx, files, f.html, f.force, publish.ForAll)
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := out.Write(page); err != nil {
		return err
	}
	return out.Publish(ctx)
}

// sheetOf lays out a model, with its position in a series.
func sheetOf(m *model.Model) report.Sheet {
	sheet := m.Sheet()
	if number, of := mechanism.Place(m); of > 0 {
		sheet.Series = fmt.Sprintf("Number %d of a series of %d; the guarantee is that of all together.", number, of)
	}
	return sheet
}
