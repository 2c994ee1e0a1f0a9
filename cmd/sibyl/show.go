package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/report"
)

func newShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show model.json",
		Short: "Show a scorecard as a person fills it in",
		Long: `Show writes the scorecard for use by hand: a block of points for each attribute,
what each total predicts, and the guarantee in plain words.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			return show(cmd, m)
		},
	}
}

// shown is what show --json prints.
type shown struct {
	report.Card
	Guarantee  *model.Guarantee `json:"guarantee"`
	NotPrivate model.Void       `json:"not_private,omitempty"`
}

func show(cmd *cobra.Command, m *model.Model) error {
	card := report.Of(m)
	return printing(cmd, shown{card, m.Guarantee, m.Void}, func(w io.Writer) error {
		if err := card.Write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s", report.Guarantee("scorecard", m.Guarantee, m.Void))
		return err
	})
}
