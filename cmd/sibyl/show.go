package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/report"
)

func newShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show model.json",
		Short: "Show a scorecard as a person fills it in",
		Long: `Show writes the scorecard for use by hand: a block of points for each attribute,
what each total predicts, and the guarantee in plain words. With --html it also
writes a page to print.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one model, as in: sibyl show model.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cmd.Flags().StringVar(&f.html, "html", "", "a `file` for the scorecard as a page")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type showFlags struct {
	html  string
	force bool
}

// shown is what show --json prints.
type shown struct {
	report.Card
	Guarantee  *model.Guarantee `json:"guarantee"`
	NotPrivate model.Void       `json:"not_private,omitempty"`
}

func (f *showFlags) run(cmd *cobra.Command, path string) error {
	m, err := readModel(path)
	if err != nil {
		return err
	}
	card := report.Of(m)
	guarantee := report.Guarantee("scorecard", m.Guarantee, m.Void)
	if f.html != "" {
		if err := f.writePage(cmd, path, card, guarantee); err != nil {
			return err
		}
	}
	return printing(cmd, shown{card, m.Guarantee, m.Void}, func(w io.Writer) error {
		if err := card.Write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s", guarantee)
		return err
	})
}

func (f *showFlags) writePage(cmd *cobra.Command, path string, card report.Card, guarantee string) error {
	var page bytes.Buffer
	if err := card.WriteHTML(&page, guarantee); err != nil {
		return err
	}
	out, err := newDraft(cmd.Context(), f.html, f.force, path)
	if err != nil {
		return err
	}
	defer out.discard()
	if _, err := out.Write(page.Bytes()); err != nil {
		return err
	}
	return out.publish()
}
