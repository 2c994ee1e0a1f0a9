package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If the name of a column suggests that the column identifies persons, one person may have several rows. Without
// [person] in the schema, however, the guarantee protects only one row. The hint in this file is derived from the
// names of columns and never from their values.

// hintOfPersons prints a hint if the schema has no [person], but a column may identify persons, judged by its name.
// It checks the columns of the schema and the given other columns.
func hintOfPersons(cmd *cobra.Command, s *table.Schema, others []string) {
	if s.Person != nil {
		return
	}
	for _, column := range slices.Concat(s.Columns(), s.File.Columns, others) {
		if schema.Identifies(column) {
			cli.Note(cmd, "NOTE: column %s may identify persons. Without [person] in the schema the guarantee protects one row. If a person may have several rows, add to the schema: [person] column = %s, most = 3.", quote.Word(column), quote.Word(column))
			return
		}
	}
}
