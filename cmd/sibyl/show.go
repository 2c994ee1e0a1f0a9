package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

func newShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show model.json",
		Short: "Show a model in readable form",
		Long: `Show prints a model for use by hand, with the names of the schema: a scorecard as blocks of
points with the prediction for each total, and a tree, list or formula as sentences. It
also prints the risks that the model states, and the guarantee. For synthetic data it
prints the measurements, their noise, and the expected errors of shares and means.

With --html it also writes a page that may be published: the model in plain words, a
calculator that works offline, the risks and the guarantee, with a drawing of a decision
tree; or charts of the measurements of synthetic data. --title, --contact, --date and
--note state what the publisher answers for. With --rules it prints a decision tree as
one line for each leaf: the conditions, the prediction and the risk. Exactly one of these
lines applies to each record.

Show reads only the model, so its output is as public as the model.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("show needs one model file, as in: sibyl show model.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	pathVar(cmd.Flags(), &f.html, "html", "also write the model as an HTML page to this `file`")
	textVar(cmd.Flags(), &f.imprint.Title, "title", "the `title` of the page (default the name of the schema)")
	textVar(cmd.Flags(), &f.imprint.Contact, "contact", "who answers for the page: a `name`, an address or both")
	textVar(cmd.Flags(), &f.date, "date", "the `date` of the page, as in 2026-03-31")
	textVar(cmd.Flags(), &f.imprint.Note, "note", "a `text` at the beginning of the page, such as for whom the model is meant")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "print only the leaves of a decision tree, as rules")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type showFlags struct {
	html  string
	rules bool
	force bool

	imprint report.Imprint // the title, contact and note that are printed on the page
	date    string
}

// shown is the output of show --json.
type shown struct {
	report.Sheet
	guaranteed
}

// ruled is the output of show --rules --json.
type ruled struct {
	Rules []report.Leaf `json:"rules"`
}

// mostImprint is the maximum number of characters of a flag that is printed on a page.
const mostImprint = 2000

// check returns an error if flags for the page are set without --html, if a text for the page is too long, or if
// --date is not a date.
func (f *showFlags) check() error {
	for _, of := range [][2]string{{"title", f.imprint.Title}, {"contact", f.imprint.Contact}, {"date", f.date}, {"note", f.imprint.Note}} {
		switch name, text := of[0], of[1]; {
		case text == "":
		case f.html == "":
			return fmt.Errorf("--%s requires --html: it is printed on the page", name)
		case utf8.RuneCountInString(text) > mostImprint:
			return fmt.Errorf("--%s has more than %d characters; shorten it", name, mostImprint)
		}
	}
	if f.date == "" {
		return nil
	}
	var err error
	if f.imprint.Date, err = time.Parse(time.DateOnly, f.date); err != nil {
		return fmt.Errorf("--date %s must be a date such as 2026-03-31", quote.Word(f.date))
	}
	return nil
}

func (f *showFlags) run(cmd *cobra.Command, path string) error {
	if err := f.check(); err != nil {
		return err
	}
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
		return fmt.Errorf("--rules: %w, but this model is a %s", err, sheet.Thing())
	}
	guarantee := report.Guarantee(sheet.Thing(), m.Guarantee, m.Void.Text(), m.Schema)
	files, err := claimInputs(cmd, nil, path)
	if err != nil {
		return err
	}
	if f.html != "" {
		var page bytes.Buffer
		if err := sheet.WriteHTML(&page, m.Guarantee, m.Void.Text(), f.imprint); err != nil {
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
	return printing(cmd, shown{sheet, guaranteeOf(m.Guarantee, m.Void, m.Schema)}, func(w io.Writer) error {
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
	Errors synthetic.Errors `json:"expected_errors"`
	guaranteed
}

// synthetic shows a model of synthetic data.
func (f *showFlags) synthetic(cmd *cobra.Command, path string, text []byte) error {
	m, err := synthetic.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	if f.rules {
		return errors.New("--rules: the model must be a decision tree, but it is synthetic data")
	}
	files, err := claimInputs(cmd, nil, path)
	if err != nil {
		return err
	}
	if f.html != "" {
		var page bytes.Buffer
		if err := m.WriteHTML(cmd.Context(), &page, synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)}, f.imprint); err != nil {
			return err
		}
		if err := f.writePage(cmd.Context(), files, page.Bytes()); err != nil {
			return err
		}
	}
	card := m.Card()
	expected, err := m.Errors(cmd.Context(), synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	return printing(cmd, shownSynthetic{card, *expected, guaranteeOf(m.Guarantee, m.Void, m.Layout.Schema)}, func(w io.Writer) error {
		if err := card.Write(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return expected.Write(w)
	})
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

// sheetOf returns the sheet of a model. If the model belongs to a series, the sheet states its position.
func sheetOf(m *model.Model) report.Sheet {
	sheet := m.Sheet()
	if number, of := mechanism.Place(m); of > 0 {
		sheet.Series = fmt.Sprintf("Number %d of a series of %d. The guarantee is for the whole series.", number, of)
	}
	return sheet
}
