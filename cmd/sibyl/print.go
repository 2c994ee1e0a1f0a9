package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

// printing prints a result on standard output. With --json it prints value as JSON; otherwise it calls text to
// print the result.
func printing(cmd *cobra.Command, value any, text func(w io.Writer) error) error {
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	if !asJSON {
		return text(cmd.OutOrStdout())
	}
	return encode(cmd.OutOrStdout(), value)
}

// note prints a message in addition to the result.
func note(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// noteCurator warns that the result must stay with the curator.
func noteCurator(cmd *cobra.Command) {
	note(cmd, "NOT PRIVATE: this is for the curator of the data alone.")
}

// noteSpent prints the privacy loss of a release, and whether an account recorded it. If the release has no
// guarantee, it prints this and the reason why.
func noteSpent(cmd *cobra.Command, g *privacy.Statement, why model.Void, account string) {
	note(cmd, "%s", report.Spent(g, why.Text(), account != ""))
}
