package sibyl

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Export selects the form in which Model.Export writes a model as a program in another language. The program reveals
// no more than the model, and contains the model's guarantee.
type Export struct {
	Format  string // a name in ExportFormats, such as "sql" or "python"
	Dialect string // for SQL: the dialect "postgresql", "sqlite", "mariadb" or "duckdb"; empty for PostgreSQL
	Table   string // for SQL: the name of the table that the program reads; empty for "data"
	ID      string // for SQL: a column of the table that becomes the first column of the result; empty for none
}

// ExportFormats lists the names of the formats that Model.Export writes.
func ExportFormats() (names []string) {
	for _, f := range export.Formats {
		names = append(names, f.Name)
	}
	return names
}

// Export writes the model as a program whose predictions equal those of the command predict for every record. It
// returns an error if the format cannot express the model.
func (m *Model) Export(w io.Writer, e Export) error {
	if m.model == nil {
		return errNoModel
	}
	at := slices.IndexFunc(export.Formats, func(f export.Format) bool { return f.Name == e.Format })
	if at < 0 {
		return fmt.Errorf("the format %s is unknown; it must be %s", quote.Word(e.Format), strings.Join(ExportFormats(), " or "))
	}
	o := export.Options{Dialect: e.Dialect, Table: e.Table, ID: e.ID}
	if o.Dialect == "" {
		o.Dialect = export.Dialects[0].Name
	}
	if o.Table == "" {
		o.Table = export.UsualTable
	}
	text, err := export.Formats[at].Write(m.model, o)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
