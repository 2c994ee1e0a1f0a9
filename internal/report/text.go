package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// WriteTable writes rows in aligned columns and escapes control characters. The first row contains the headings.
// The first column is left-aligned. Of the other columns, those are right-aligned for which the string right has
// the letter r at the column's index.
func WriteTable(w io.Writer, rows [][]string, right string) error {
	var b strings.Builder
	writeRows(&b, rows, right)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRows(b *strings.Builder, rows [][]string, align string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], length(quote.Clean(cell)))
		}
	}
	write := func(row []string) {
		var line strings.Builder
		for i, cell := range row {
			cell = quote.Clean(cell)
			line.WriteString("  ")
			if i < len(align) && align[i] == 'r' {
				line.WriteString(strings.Repeat(" ", widths[i]-length(cell)) + cell)
			} else {
				line.WriteString(left(cell, widths[i]))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	for i, row := range rows {
		write(row)
		if i == 0 {
			rule := make([]string, len(widths))
			for k, n := range widths {
				rule[k] = strings.Repeat("─", n)
			}
			write(rule)
		}
	}
}

// wrap writes a paragraph, with line breaks so that no line has more than 90 characters.
func wrap(b *strings.Builder, text string) {
	const most = 90
	at := 0
	for _, word := range strings.Fields(text) {
		switch n := length(word); {
		case at > 0 && at+1+n > most:
			b.WriteString("\n" + word)
			at = n
		case at > 0:
			b.WriteString(" " + word)
			at += 1 + n
		default:
			b.WriteString(word)
			at = n
		}
	}
	b.WriteString("\n")
}

func length(s string) int { return utf8.RuneCountInString(s) }

func left(s string, width int) string { return s + strings.Repeat(" ", width-length(s)) }

// WriteList writes rows that consist of a name and a value, with the values aligned.
func WriteList(w io.Writer, rows [][]string) error {
	width := 0
	for _, row := range rows {
		width = max(width, length(quote.Clean(row[0])))
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%s  %s\n", left(quote.Clean(row[0]), width), quote.Clean(row[1]))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
