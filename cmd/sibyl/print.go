package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// printing prints a result on standard output: value with --json, and otherwise
// what text writes.
func printing(cmd *cobra.Command, value any, text func(w io.Writer) error) error {
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	if !asJSON {
		return text(cmd.OutOrStdout())
	}
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// note tells the person something beside the result.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// noteCurator marks a result that must not leave the curator's hands.
func noteCurator(cmd *cobra.Command) {
	note(cmd, "NOT PRIVATE: this is for the curator of the data alone.")
}

// noteSpent tells what a release has cost, or that it promises nothing, and who keeps count.
func noteSpent(cmd *cobra.Command, g *privacy.Statement, why model.Void, account string) {
	if g == nil {
		note(cmd, "NOT PRIVATE: %s", why.Text())
		return
	}
	spent := fmt.Sprintf("ε = %s", g.Epsilon)
	if !g.Delta.IsZero() {
		spent += fmt.Sprintf(" and δ = %s", g.Delta)
	}
	if account != "" {
		note(cmd, "This release spent %s of these people's privacy, which is entered in the account; sibyl account show tells what is left.", spent)
		return
	}
	note(cmd, "This release spent %s of these people's privacy. Running it again spends as much again; all that is spent on the same data adds up, and nobody keeps count of it unless an --account does.", spent)
}
