package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// If the name of a column looks like an identifier of persons, one person may have several rows,
// while the guarantee protects one row. Only names are inspected, never values.

// identifiers are words that, alone or at the end of a column's name, suggest an identifier of
// persons.
var identifiers = []string{
	"id", "ids", "uid", "uuid", "guid", "pid", "mrn", "ssn", "nin", "nhs", "email", "mail", "phone",
	"patient", "person", "customer", "client", "user", "username", "subject", "member", "passport",
}

// identifies reports whether a column of that name may identify persons.
func identifies(column string) bool {
	words := strings.FieldsFunc(column, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if at := strings.LastIndexFunc(last, unicode.IsUpper); at > 0 && strings.ToUpper(last) != last { // patientId, patientID
		for at > 0 && unicode.IsUpper(rune(last[at-1])) {
			at--
		}
		last = last[at:]
	}
	return slices.Contains(identifiers, strings.ToLower(last))
}

// hintOfPersons prints a hint if a column of the schema, or another known column, looks like an
// identifier of persons.
func hintOfPersons(cmd *cobra.Command, s *table.Schema, others []string) {
	if s.Person != nil {
		return
	}
	for _, column := range slices.Concat(s.Columns(), s.File.Columns, others) {
		if identifies(column) {
			note(cmd, "NOTE: column %s looks as if it said whose a row is; the guarantee is for one row, and for persons with several of them only if the schema says so: [person] column = %s, most = 3.", quote.Word(column), quote.Word(column))
			return
		}
	}
}
