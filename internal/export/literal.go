package export

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// A syntax defines how a document is written as a literal in a programming language.
type syntax struct {
	null, yes, no string
	text          func(string) string
	field         func(f reflect.StructField) string // returns the name of a field, including the characters that separate it from the value
	open          func(t reflect.Type) string        // returns the beginning of a struct or a list
	indent        string                             // the indentation of an element
	align         bool                               // whether the values of a struct are aligned, as gofmt does
	comma         string                             // the text after the last element if a value takes several lines
	number        func(*float64) string              // returns the literal of a number, or of a missing number (nil)
}

// lineWidth is the maximum length, in bytes, of a struct or a list that is written on one line.
const lineWidth = 110

var jsonSyntax = syntax{
	null: "null", yes: "true", no: "false", text: jsonText,
	field: func(f reflect.StructField) string { return jsonText(f.Tag.Get("json")) + ": " },
	open:  openBracket, indent: "  ",
}

var pythonSyntax = syntax{null: "None", yes: "True", no: "False", text: jsonText, field: jsonSyntax.field, open: openBracket, indent: "  ", comma: ","}

var goSyntax = syntax{
	null: "nil", yes: "true", no: "false", text: strconv.Quote, indent: "\t", align: true, comma: ",",
	field: func(f reflect.StructField) string { return f.Name + ": " },
	open:  func(t reflect.Type) string { return strings.ReplaceAll(t.String(), "export.", "") + "{" },
	number: func(x *float64) string {
		if x == nil {
			return "unknown"
		}
		return fmt.Sprint(*x)
	},
}

func openBracket(t reflect.Type) string {
	if t.Kind() == reflect.Struct {
		return "{"
	}
	return "["
}

// jsonText returns a text as a string literal that is valid in JSON, JavaScript and Python. It escapes characters
// that are not printable, and the beginnings of HTML tags and comments, so that an HTML page can contain the
// literal.
func jsonText(text string) string {
	var quoted strings.Builder
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // strings have no errors
	escaped := strings.NewReplacer("</", `\u003c/`, "<!", `\u003c!`).Replace(strings.TrimSuffix(quoted.String(), "\n"))
	var b strings.Builder
	for _, r := range escaped {
		if r <= 0xffff && !unicode.IsPrint(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// literal returns a value as a literal of the language. The parameter indent is the indentation of all lines
// after the first.
func (s syntax) literal(v reflect.Value, indent string) string {
	switch v.Kind() {
	case reflect.String:
		return s.text(v.String())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		if v.Bool() {
			return s.yes
		}
		return s.no
	case reflect.Pointer:
		x, _ := v.Interface().(*float64)
		switch {
		case s.number != nil:
			return s.number(x)
		case x == nil:
			return s.null
		}
		return strconv.FormatFloat(*x, 'f', -1, 64)
	}
	var names, values []string // of the elements; the names of a list are empty
	inner := indent + s.indent
	open := s.open(v.Type())
	if v.Kind() == reflect.Struct {
		show, _ := v.Interface().(interface{ shows(field string) bool })
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if show == nil || show.shows(f.Tag.Get("json")) {
				names, values = append(names, s.field(f)), append(values, s.literal(v.Field(i), inner))
			}
		}
	} else {
		if s.number != nil && v.Type().Elem().Kind() == reflect.Pointer {
			open = "[]float64{"
		}
		for i := range v.Len() {
			names, values = append(names, ""), append(values, s.literal(v.Index(i), inner))
		}
	}
	end := map[byte]string{'{': "}", '[': "]"}[open[len(open)-1]]
	line := open + joined(names, values, ", ") + end
	if len(line) <= lineWidth && !strings.Contains(line, "\n") {
		return line
	}
	if s.align {
		align(names, values)
	}
	return open + "\n" + inner + joined(names, values, ",\n"+inner) + s.comma + "\n" + indent + end
}

// joined joins the elements of a struct or a list, each preceded by its name, with a separator between them.
func joined(names, values []string, between string) string {
	var b strings.Builder
	for i, value := range values {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(names[i] + value)
	}
	return b.String()
}

// align appends spaces to the names of elements, so that their values on consecutive lines begin in the same
// column. It does not align values that take several lines.
func align(names, values []string) {
	for i := 0; i < len(values); i++ {
		end, width := i, 0
		for end < len(values) && !strings.Contains(values[end], "\n") {
			width = max(width, len(names[end]))
			end++
		}
		for ; i < end; i++ {
			names[i] += strings.Repeat(" ", width-len(names[i]))
		}
	}
}

// written returns the document as a literal in the programming language with the given syntax.
func (d *document) written(s syntax) string { return s.literal(reflect.ValueOf(*d), "") }
