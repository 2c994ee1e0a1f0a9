package main

import (
	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

// noteCurator prints a warning that the result is private, and only the curator of the data may see it.
func noteCurator(cmd *cobra.Command) {
	cli.Note(cmd, "NOT PRIVATE: this is for the curator of the data alone.")
}

// noteSpent prints the privacy loss of a release, and whether an account recorded it. If the release has no
// guarantee, it prints the reason instead.
func noteSpent(cmd *cobra.Command, g *privacy.Statement, why model.Void, account string) {
	cli.Note(cmd, "%s", report.Spent(g, why.Text(), account != ""))
}
