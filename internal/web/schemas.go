package web

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A schemaPage lists the schemas in the directory, and contains the forms that create a schema.
type schemaPage struct {
	selection
	Schemas []schemaFile
	Asked   map[string]string // the fields of a refused form
	File    bool              // whether the data are in a file, so that its header can be read
}

// A schemaFile describes a schema in the list of schemas.
type schemaFile struct {
	Name, Title string
	Columns     int
	Open        int    // the number of open columns
	Fault       string // the reason why the file is not a schema, or ""
}

// mostSchemas is the maximum number of schemas that are read for the list.
const mostSchemas = 200

func showSchemas(q *request) error { return q.schemaPage(nil) }

// schemaPage shows the page that lists the schemas. If refused is not nil, the page also shows this error.
func (q *request) schemaPage(refused error) error {
	names, err := q.list(schemaEnding)
	if err != nil {
		return err
	}
	now := q.choice()
	content := schemaPage{selection: now, Asked: map[string]string{}, File: now.Location != "" && !database.IsURL(now.Location)}
	for _, name := range names[:min(len(names), mostSchemas)] {
		content.Schemas = append(content.Schemas, q.schemaFile(name))
	}
	p := page{Title: "Schema", Step: "schema", Content: content}
	if refused != nil {
		p.Error = inWords(refused)
		for name, values := range q.form {
			content.Asked[name] = values[0]
		}
	}
	return q.render("schemas", p)
}

func (q *request) schemaFile(name string) schemaFile {
	f := schemaFile{Name: name}
	s, _, err := q.openSchema(name)
	if err != nil {
		f.Fault = inWords(err)
		return f
	}
	f.Title, f.Columns = s.Name, len(s.Attributes)
	d, _ := schema.Edit(s)
	f.Open = len(d.Open())
	return f
}

// openSchema reads a schema, and returns it and its text. The schema may be incomplete (open).
func (s *Server) openSchema(name string) (*table.Schema, []byte, error) {
	text, err := s.read(name)
	if err != nil {
		return nil, nil, err
	}
	of, err := table.ParseOpenSchema(name, bytes.NewReader(text))
	return of, text, err
}

// domain reads a schema, which must be complete.
func (s *Server) domain(name string) (*table.Schema, error) {
	if name == "" {
		return nil, errors.New("choose a schema")
	}
	text, err := s.read(name)
	if err != nil {
		return nil, err
	}
	return table.ParseSchema(name, bytes.NewReader(text))
}

// makeSchema drafts a schema from public facts, and writes it to a new file.
func makeSchema(q *request) error {
	d, err := q.draftSchema()
	if err != nil {
		return q.schemaPage(err)
	}
	text, err := d.TOML()
	if err != nil {
		return q.schemaPage(err)
	}
	name := named(q.form.Get("file"), schemaEnding)
	if err := q.write(name, false, text); err != nil {
		return q.schemaPage(err)
	}
	q.choose(func(c *selection) { c.Schema = name })
	return q.redirect("schema-edit?file=" + escape(name))
}

func (q *request) draftSchema() (*schema.Draft, error) {
	known := schema.Known{Name: strings.TrimSpace(q.form.Get("title")), Public: strings.TrimSpace(q.form.Get("public"))}
	switch q.form.Get("from") {
	case "header":
		now := q.choice()
		if q.form.Get("declare") != "yes" {
			return nil, errors.New("the first line may be the record of a person, so it is not read; if it holds the names of the columns, and these are public, tick the box; otherwise type the names")
		}
		encoding, sheet := strings.TrimSpace(q.form.Get("encoding")), strings.TrimSpace(q.form.Get("sheet"))
		names, delimiter, err := schema.HeaderOfFile(q.from(now.Location, "").Location, 0, encoding, sheet)
		if err != nil {
			return nil, err
		}
		return schema.New(names, &table.File{Delimiter: delimiter, Encoding: encoding, Sheet: sheet}, known)
	case "names":
		var names []string
		for _, name := range strings.FieldsFunc(q.form.Get("names"), func(r rune) bool { return r == '\n' || r == '\r' || r == ',' }) {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return nil, errors.New("write the names of the columns, one a line or separated by commas")
		}
		return schema.New(names, nil, known)
	case "metadata":
		from := schema.Import{Location: strings.TrimSpace(q.form.Get("metadata")), Table: strings.TrimSpace(q.form.Get("table"))}
		if from.Location == "" {
			return nil, errors.New("name a file with metadata, or the address of a database")
		}
		from.Location = q.from(from.Location, "").Location
		return from.Draft(q.r.Context(), known)
	}
	return nil, errors.New("choose what the schema is made from")
}

// useSchema selects an existing schema for all later pages.
func useSchema(q *request) error {
	name := q.form.Get("file")
	if _, _, err := q.openSchema(name); err != nil {
		return q.schemaPage(err)
	}
	q.choose(func(c *selection) { c.Schema = name })
	return q.redirect("schema-edit?file=" + escape(name))
}

// An editPage shows a schema both as a form and as text, for editing.
type editPage struct {
	selection
	File     string
	Version  string // the version of the file's text that the page shows
	Text     string
	Title    string
	Source   string
	Decimal  string // the decimal mark of numbers in the file
	Encoding string // the encoding of the file; "" means UTF-8
	Columns  []formColumn
	Form     bool // whether the form can represent the schema completely
	Profile  bool // whether some open columns can be completed from the data
	Open     []schema.Open
	Closed   bool // whether the schema has attributes, all of which are complete
	Labels   bool // whether there is a label
}

func editSchema(q *request) error { return q.editPage(q.form.Get("file"), nil, nil) }

// editPage shows the page that edits the schema in the given file. If refused is not nil, the page also shows this
// error. If typed is not nil, the page shows this text, which the user typed and which was refused, instead of the
// text of the file.
func (q *request) editPage(name string, typed *string, refused error) error {
	s, text, err := q.openSchema(name)
	if err != nil && text == nil {
		return q.schemaPage(err)
	}
	content := editPage{selection: q.choice(), File: name, Version: version(text), Text: string(text)}
	if err != nil && refused == nil {
		refused = err
	}
	if s != nil {
		var d *schema.Draft
		d, content.Form = schema.Edit(s)
		content.Title, content.Source, content.Open, content.Labels = s.Name, s.Public, d.Open(), s.Label != nil
		if content.Form {
			content.Columns, content.Form = columnsOf(d)
			content.Decimal, content.Encoding = string(rune(s.File.Decimal)), s.File.Encoding
		}
		content.Closed = refused == nil && len(content.Open) == 0 && len(s.Attributes) > 0
		for i := range s.Attributes {
			a := &s.Attributes[i]
			content.Profile = content.Profile || a.Open() && (a.Kind == table.NumberKind || a.Kind == table.CategoryKind || a.Kind == table.DateKind && a.Least != "")
		}
	}
	p := page{Title: name, Step: "schema"}
	if refused != nil {
		p.Error = inWords(refused)
		if columns, ok := formColumns(q.form); ok {
			content.Columns, content.Form = columns, true
			content.Title, content.Decimal, content.Encoding = q.form.Get("title"), q.form.Get("decimal"), q.form.Get("encoding")
		}
	}
	if typed != nil {
		content.Text = *typed
	}
	p.Content = content
	return q.render("schema", p)
}

// saveText saves a schema that the user edited as text.
func saveText(q *request) error {
	name, text := q.form.Get("file"), strings.ReplaceAll(q.form.Get("text"), "\r\n", "\n")
	if err := q.unchanged(name); err != nil {
		return q.editPage(name, &text, err)
	}
	if _, err := table.ParseOpenSchema(name, strings.NewReader(text)); err != nil {
		return q.editPage(name, &text, err)
	}
	if err := q.write(name, true, []byte(text)); err != nil {
		return q.editPage(name, &text, err)
	}
	return q.redirect("schema-edit?file=" + escape(name))
}

// saveForm saves a schema that the user edited in the form.
func saveForm(q *request) error {
	name := q.form.Get("file")
	text, err := q.formText(name)
	if err == nil {
		err = q.write(name, true, text)
	}
	if err != nil {
		return q.editPage(name, nil, err)
	}
	return q.redirect("schema-edit?file=" + escape(name))
}

func (q *request) formText(name string) ([]byte, error) {
	if err := q.unchanged(name); err != nil {
		return nil, err
	}
	s, _, err := q.openSchema(name)
	if err != nil {
		return nil, err
	}
	before, whole := schema.Edit(s)
	if !whole {
		return nil, errors.New("the schema has keys that the form does not show; edit its text")
	}
	d, err := draftOf(q.form, before)
	if err != nil {
		return nil, err
	}
	return d.TOML()
}

// unchanged returns an error if the file has changed since the form was shown, for example in another tab.
func (q *request) unchanged(name string) error {
	text, err := q.read(name)
	if err == nil && version(text) != q.form.Get("version") {
		err = fmt.Errorf("%s has changed since this page was shown, perhaps in another tab; open it again", quote.Name(name))
	}
	return err
}

// checkText answers with a sentence that says whether the text in the form is a complete schema. The page requests it
// while the user edits the text.
func checkText(q *request) error {
	said := "The schema is complete."
	text := q.form.Get("text")
	switch s, err := table.ParseOpenSchema("the text", strings.NewReader(text)); {
	case err != nil:
		said = inWords(err)
	default:
		if d, _ := schema.Edit(s); len(d.Open()) > 0 {
			said = fmt.Sprintf("The text is a schema. Columns that are still open: %d.", len(d.Open()))
		}
	}
	q.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	q.w.Write([]byte(said))
	return nil
}
