package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If the name of a column looks like an identifier of persons, one person may have several rows,
// but without [person] in the schema the guarantee protects only one row. The hint inspects the
// names of columns and never their values.

// hintOfPersons prints a hint if a column of the schema, or another known column, looks like an
// identifier of persons.
func hintOfPersons(cmd *cobra.Command, s *table.Schema, others []string) {
	if s.Person != nil {
		return
	}
	for _, column := range slices.Concat(s.Columns(), s.File.Columns, others) {
		if schema.Identifies(column) {
			note(cmd, "NOTE: column %s may identify persons. Without [person] in the schema the guarantee protects one row. If a person may have several rows, add to the schema: [person] column = %s, most = 3.", quote.Word(column), quote.Word(column))
			return
		}
	}
}
