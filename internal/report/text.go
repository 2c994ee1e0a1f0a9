package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// WriteTable writes rows in aligned columns, the first row as headings, and escapes control
// characters. The first column is left-aligned; another is right-aligned if the string right has
// an r at its position.
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

func length(s string) int { return utf8.RuneCountInString(s) }

func left(s string, width int) string { return s + strings.Repeat(" ", width-length(s)) }

// WriteList writes rows of a name and a value, aligned.
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
