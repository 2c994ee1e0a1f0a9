package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/source"
)

func newSchemaImport() *cobra.Command {
	f := &schemaImportFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE|URL --out people.toml",
		Short: "Draft a schema from published metadata",
		Long: `Import writes a schema with what metadata states about a table: kinds of columns,
ranges, categories with their labels, codes of missing values, and keys. It reads
a Frictionless Table Schema or datapackage.json, a REDCap data dictionary (CSV),
the types of a Parquet file, or the catalog of a SQLite, PostgreSQL, MySQL,
MariaDB or DuckDB database: types, CHECK constraints, keys and comments. Whoever
runs it declares that this metadata is public; the schema records that.

Import reads no row of the table and no statistics of it. What the metadata does
not determine stays open in the schema and is listed. Only --lookup reads rows,
and only those of a second table, which lists the categories of a column. Flags
add further facts, and take precedence over the metadata.

  sibyl schema import datapackage.json --table visits --label died=yes/no --out visits.toml
  sibyl schema import sqlite:clinic.db --table visits --lookup ward=wards:code:name`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cli.SeeHelp(cmd, errors.New("schema import needs one argument: a file with metadata, or the URL of a database"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.from.Location = args[0]
			return f.run(cmd)
		},
	}
	textVar(cmd.Flags(), &f.from.Table, "table", "the `name` of the table, if the metadata describes several tables")
	cmd.Flags().StringArrayVar(&f.from.Lookups, "lookup", nil, "a `table` of the database that lists the categories of a column, and whose rows are public, as COLUMN=TABLE:CODE or COLUMN=TABLE:CODE:LABEL, where CODE and LABEL are columns of the table; can be given several times")
	f.register(cmd)
	return cmd
}

type schemaImportFlags struct {
	draftFlags
	from schema.Import
}

func (f *schemaImportFlags) run(cmd *cobra.Command) error {
	if err := f.read(); err != nil {
		return err
	}
	d, err := f.from.Draft(cmd.Context(), f.known)
	if err != nil {
		return err
	}
	return f.write(cmd, d, source.Files(f.from.Location)...)
}
