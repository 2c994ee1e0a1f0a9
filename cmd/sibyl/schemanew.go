package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newSchemaNew() *cobra.Command {
	f := &schemaNewFlags{}
	cmd := &cobra.Command{
		Use:   "new --data people.csv --header --out people.toml",
		Short: "Draft a schema from the names of the columns",
		Long: `New writes a schema with an attribute for each column. With --columns, the names of
the columns are given, and no file is read. With --header, new reads them from the
first line of a file, or from the first row of a sheet of a workbook, and reads
nothing after it. By giving --header you declare that this line holds names and
that they are public. If the numbers have a decimal comma, give "--decimal ,".

Every column has kind = "?" unless a flag states its kind. A comment says where
the name suggests an identifier, a date, or yes and no; these are guesses. Add
values, groups or cuts to each column from public knowledge, or delete it.

  sibyl schema new --data people.csv --header --label y=yes/no --number age,pdays \
    --category job,month --date admitted=d.m.y --person patient_id:3 --drop name \
    --out people.toml`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Var(locationFlag{(*cli.PathFlag)(&f.data)}, "data", "a `file` of delimited text or an .xlsx workbook, or - for standard input; only its first line or row is read")
	flags.BoolVar(&f.header, "header", false, "declare that the first line of the file holds the names of the columns, and that they are public")
	namesVar(flags, &f.columns, "columns", "the `names` of all columns in their order, separated by commas; no file is then read")
	textVar(flags, &f.delimiter, "delimiter", "the `character` between the fields of a line (default: the one of , ; | and tab that divides the first line into the most fields)")
	textVar(flags, &f.decimal, "decimal", "the decimal `mark` of the numbers in the file, a point or a comma (default: a point)")
	textVar(flags, &f.encoding, "encoding", "the `encoding` of the file, such as windows-1252, iso-8859-15 or utf-16le (default: UTF-8)")
	textVar(flags, &f.sheet, "sheet", "the `name` of the sheet of a workbook (default: the first one that is not hidden)")
	f.register(cmd)
	return cmd
}

type schemaNewFlags struct {
	draftFlags
	data, delimiter, decimal, encoding, sheet string
	header                                    bool
	columns                                   []string
}

func (f *schemaNewFlags) run(cmd *cobra.Command) error {
	if err := f.read(); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	file := f.file()
	names := f.columns
	if names == nil {
		var err error
		if names, file.Delimiter, err = f.firstLine(cmd, file.Delimiter); err != nil {
			return fmt.Errorf("%s: %w", f.shown(), err)
		}
	}
	d, err := schema.New(names, file, f.known)
	if err != nil && f.header && file.Delimiter == 0 && f.sheet == "" { // the first sheet of a workbook
		return fmt.Errorf("%w; the names are those in the first sheet, and --sheet names another sheet", err)
	}
	if err != nil {
		return err
	}
	var inputs []string
	if f.data != "" {
		inputs = source.Files(f.data)
	}
	return f.write(cmd, d, inputs...)
}

// check returns an error if flags are missing or contradict each other.
func (f *schemaNewFlags) check() error {
	switch {
	case f.data == "" && f.columns == nil:
		return errors.New("the names of the columns are missing; give --data with --header, or --columns")
	case f.data == "" && f.header:
		return errors.New("--header requires --data, the file whose first line names the columns; give --data, or leave --header out")
	case f.data != "" && database.IsURL(f.data):
		return errors.New("--data must be a file; for a database, use sibyl schema import")
	case !f.header && f.columns == nil:
		return fmt.Errorf("%s: the first line may be the record of a person, so it is not read; if it holds the names of the columns, and these are public, give --header; otherwise give the names with --columns", f.shown())
	case len(f.delimiter) > 1, f.delimiter != "" && f.delimiter != "\t" && (f.delimiter[0] <= ' ' || f.delimiter[0] >= 0x7f || f.delimiter == `"`):
		return fmt.Errorf("--delimiter %s must be a tab or one printable ASCII character, but not a space or a quote", quote.Word(f.delimiter))
	case f.decimal != "" && f.decimal != "." && f.decimal != ",":
		return fmt.Errorf(`--decimal %s must be "." or ","`, quote.Word(f.decimal))
	}
	for i, name := range f.columns {
		if name == "" {
			return fmt.Errorf("--columns: name %d is empty; write the name, or remove the extra comma", i+1)
		}
	}
	return nil
}

// file returns the format of the data file that the flags describe, such as its delimiter. It returns nil if no
// flag describes it.
func (f *schemaNewFlags) file() *table.File {
	if f.data == "" && f.delimiter == "" && f.decimal == "" && f.encoding == "" && f.sheet == "" {
		return nil
	}
	file := &table.File{Headerless: f.data != "" && !f.header, Encoding: f.encoding, Sheet: f.sheet}
	if f.delimiter != "" {
		file.Delimiter = f.delimiter[0]
	}
	if f.decimal != "" {
		file.Decimal = f.decimal[0]
	}
	if file.Headerless {
		file.Columns = f.columns
	}
	return file
}

func (f *schemaNewFlags) shown() string {
	if f.data == "-" {
		return "standard input"
	}
	return source.FileName(f.data)
}

// firstLine reads the names of the columns from the first line of the data.
func (f *schemaNewFlags) firstLine(cmd *cobra.Command, delimiter byte) ([]string, byte, error) {
	if f.data == "-" {
		if f.sheet != "" {
			return nil, 0, errors.New("--sheet is for workbooks, but this is read as delimited text; name the workbook with --data, or leave --sheet out")
		}
		return schema.Header(schema.Unnamed(cmd.InOrStdin()), delimiter, f.encoding)
	}
	return schema.HeaderOfFile(f.data, delimiter, f.encoding, f.sheet)
}
