package schema

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A REDCap data dictionary is a CSV file with a line for each field of a project. The project's data export contains
// the codes of choices (export option "raw"), and a column for each choice of a checkbox.

// redcapKeys maps the column names of a REDCap data dictionary to the short names that this file uses. REDCap's web
// page and its API write different names.
var redcapKeys = map[string]string{
	"variable / field name": "name", "field_name": "name",
	"field type": "type", "field_type": "type",
	"field label": "label", "field_label": "label",
	"choices, calculations, or slider labels": "choices", "select_choices_or_calculations": "choices",
	"text validation type or show slider number": "validation", "text_validation_type_or_show_slider_number": "validation",
	"text validation min": "min", "text_validation_min": "min",
	"text validation max": "max", "text_validation_max": "max",
	"identifier?": "identifier", "identifier": "identifier",
	"required field?": "required", "required_field": "required",
}

// isREDCap reports whether the first line consists of the column names of a REDCap data dictionary. It does not
// consume the line.
func isREDCap(r *bufio.Reader) bool {
	start, _ := r.Peek(r.Size())
	line, _, _ := bytes.Cut(bytes.TrimPrefix(start, []byte("\ufeff")), []byte("\n"))
	found := make(map[string]bool)
	names, err := fields(bytes.TrimSuffix(line, []byte("\r")), likelyDelimiter(line))
	for _, name := range names {
		found[redcapKeys[strings.ToLower(strings.TrimSpace(name))]] = true
	}
	return err == nil && found["name"] && found["type"]
}

// redcap drafts a schema from the text of a REDCap data dictionary.
func redcap(text []byte) (*Draft, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if at := quote.Invalid(text); at >= 0 {
		return nil, fmt.Errorf("line %d is not UTF-8 text; save the file as UTF-8", 1+bytes.Count(text[:at], []byte("\n")))
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = rune(likelyDelimiter(bytes.TrimSuffix(line, []byte("\r")))), -1
	header, err := r.Read()
	if err != nil {
		return nil, errors.New("line 1 is not CSV; export the data dictionary from REDCap again")
	}
	d := &Draft{Source: "REDCap data dictionary", File: &table.File{}}
	commas, withComma := make(map[bool]bool), []string(nil)
	seen := make(map[string]bool)
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if e := (*csv.ParseError)(nil); errors.As(err, &e) {
			return nil, fmt.Errorf("line %d has a quote in a wrong place; export the data dictionary from REDCap again", e.StartLine)
		} else if err != nil {
			return nil, err
		}
		at, _ := r.FieldPos(0)
		f := make(map[string]string)
		for i, value := range record {
			if value = strings.TrimSpace(value); i < len(header) && value != "NA" {
				f[redcapKeys[strings.ToLower(strings.TrimSpace(header[i]))]] = value
			}
		}
		if len(strings.Join(record, "")) == 0 {
			continue
		}
		if !redcapName.MatchString(f["name"]) {
			return nil, fmt.Errorf("line %d: the variable name %s must consist of letters, digits and underscores", at, quote.Word(f["name"]))
		}
		if seen[f["name"]] {
			return nil, fmt.Errorf("line %d: field %s is defined twice; rename one of the two", at, quote.Word(f["name"]))
		}
		seen[f["name"]] = true
		columns, err := redcapColumns(f)
		if err != nil {
			return nil, fmt.Errorf("line %d: field %s: %w", at, quote.Word(f["name"]), err)
		}
		for _, c := range columns {
			if c.Kind == table.NumberKind && f["type"] == "text" {
				comma := strings.Contains(f["validation"], "comma")
				if commas[comma] = true; comma {
					withComma = append(withComma, c.Name)
				}
			}
		}
		if len(seen) == 1 && len(columns) == 1 {
			columns[0].Drop = "it identifies records"
			d.Person = &table.Person{Column: f["name"]}
		}
		d.Columns = append(d.Columns, columns...)
	}
	if len(d.Columns) == 0 {
		return nil, errors.New("the data dictionary has no data fields; name a dictionary that defines fields")
	}
	if commas[true] && !commas[false] {
		d.File.Decimal = ','
	} else {
		for _, name := range withComma {
			d.Columns[d.find(name)].Decimal = ','
		}
	}
	d.Notes = append(d.Notes, "The values are the codes of a raw export from REDCap, not the labels.",
		"If every record has one row, delete [person]; events and repeated instruments give a record several rows.")
	return d, d.checkNames()
}

var (
	redcapName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	htmlTag    = regexp.MustCompile(`<[^<>]*>`)
)

// plain returns a label without HTML tags and repeated spaces.
func plain(label string) string {
	return strings.Join(strings.Fields(htmlTag.ReplaceAllString(label, " ")), " ")
}

// redcapColumns converts a field of the data dictionary to the columns that REDCap exports for it. A field with
// checkboxes has several columns.
func redcapColumns(f map[string]string) ([]Column, error) {
	c := Column{Name: f["name"], Title: plain(f["label"])}
	if strings.HasPrefix(strings.ToLower(f["identifier"]), "y") {
		c.Drop = "marked as an identifier"
	}
	optional := !strings.HasPrefix(strings.ToLower(f["required"]), "y")
	switch kind := f["type"]; kind {
	case "descriptive":
		return nil, nil
	case "file":
		c.Kind, c.Drop = table.UnknownKind, "its values are files"
	case "notes":
		c.Kind = table.TextKind
	case "calc", "slider":
		c.Kind = table.NumberKind
		if kind == "slider" {
			if err := c.redcapRange(firstOf(f["min"], "0"), firstOf(f["max"], "100"), "integer"); err != nil {
				return nil, err
			}
		}
	case "text":
		if err := c.redcapText(f); err != nil {
			return nil, err
		}
	case "sql":
		c.Kind = table.CategoryKind
		c.Notes = append(c.Notes, "REDCap looks its choices up in a database.")
	case "yesno", "truefalse":
		c.Kind = table.CategoryKind
		names := map[string][2]string{"yesno": {"no", "yes"}, "truefalse": {"false", "true"}}[kind]
		c.Groups = []table.Group{{Name: names[0], Values: []string{"0"}}, {Name: names[1], Values: []string{"1"}}}
	case "radio", "dropdown", "checkbox":
		choices, err := redcapChoices(f["choices"])
		if err != nil {
			return nil, err
		}
		if kind == "checkbox" {
			return c.checkboxes(choices), nil
		}
		c.Kind = table.CategoryKind
		for _, choice := range choices {
			c.addCategory(choice[0], choice[1])
		}
	default:
		return nil, fmt.Errorf("the field type %s is unknown; use a field type of REDCap, such as text or radio", quote.Word(kind))
	}
	if optional {
		c.mayBeMissing(nil)
	}
	return []Column{c}, nil
}

// redcapChoices parses the choices of a field, such as "1, Male | 2, Female", as pairs of a code and a label.
func redcapChoices(text string) (choices [][2]string, err error) {
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(text, "|") {
		code, label, labelled := strings.Cut(part, ",")
		code, label = strings.TrimSpace(code), plain(label)
		if !labelled {
			label = code
		}
		switch {
		case code == "" && strings.TrimSpace(part) == "":
			continue
		case code == "":
			return nil, fmt.Errorf("the choice %s has no code; write choices as 1, Male | 2, Female", quote.Word(strings.TrimSpace(part)))
		case seen[code]:
			return nil, fmt.Errorf("two choices have the code %s; give each choice its own code", quote.Word(code))
		}
		seen[code] = true
		choices = append(choices, [2]string{code, label})
	}
	if len(choices) == 0 {
		return nil, errors.New("it has no choices; write them as 1, Male | 2, Female")
	}
	return choices, nil
}

// checkboxes returns the columns for a field with checkboxes, one for each choice. The value of a column is 1 if the
// choice is checked, and otherwise 0.
func (c Column) checkboxes(choices [][2]string) (all []Column) {
	for _, choice := range choices {
		code := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, strings.ToLower(choice[0]))
		all = append(all, Column{
			Name: c.Name + "___" + code, Title: c.Title + ": " + choice[1], Kind: table.CategoryKind, Drop: c.Drop,
			Groups: []table.Group{{Name: "no", Values: []string{"0"}}, {Name: "yes", Values: []string{"1"}}},
		})
	}
	return all
}

// redcapText sets the kind of a text field according to its validation type in the dictionary.
func (c *Column) redcapText(f map[string]string) error {
	c.Kind = table.TextKind
	switch v := f["validation"]; {
	case strings.HasPrefix(v, "number"), v == "integer":
		c.Kind = table.NumberKind
		return c.redcapRange(f["min"], f["max"], v)
	case v == "":
		c.Kind = table.UnknownKind
	case strings.HasPrefix(v, "date"), strings.HasPrefix(v, "time"):
		c.Kind = table.DateKind
	case strings.HasPrefix(v, "phone"), strings.Contains(v, "mrn"), v == "email", v == "ssn":
		c.Drop = "its validation " + v + " is that of an identifier"
	}
	return nil
}

// redcapRange sets the range and the number of decimal places of a number field. The number of decimal places
// follows from the validation type, such as integer or number_1dp_comma_decimal.
func (c *Column) redcapRange(least, most, validation string) error {
	places := table.UsualPlaces
	if validation == "integer" {
		places = 0
	}
	fmt.Sscanf(validation, "number_%ddp", &places)
	limit := func(which, text string) (table.Decimal, error) {
		if strings.Contains(validation, "comma") {
			text = strings.Replace(text, ",", ".", 1)
		}
		d, ok := exact(text)
		switch {
		case ok || text == "":
			return d, nil
		case strings.HasPrefix(text, "["):
			c.Notes = append(c.Notes, "Its "+which+" depends on another field.")
			return "", nil
		}
		return "", fmt.Errorf("the %s %s is not a number", which, quote.Word(text))
	}
	from, err := limit("minimum", least)
	if err != nil {
		return err
	}
	to, err := limit("maximum", most)
	if err != nil {
		return err
	}
	c.setRange(from, to, places)
	return nil
}
