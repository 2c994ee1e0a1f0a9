package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
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
	note(cmd, "%s", report.Spent(g, why.Text(), account != ""))
}
