package main

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// pageFlags are the flags of commands that can also write their result as an HTML page for publication.
type pageFlags struct {
	html    string // the file of the page, or empty
	imprint report.Imprint
	date    string
}

// register defines the flags. The parameter html is the help text of --html.
func (f *pageFlags) register(cmd *cobra.Command, html string) {
	flags := cmd.Flags()
	cli.PathVar(flags, &f.html, "html", html)
	textVar(flags, &f.imprint.Title, "title", "the `title` of the page (default: the name of the schema)")
	textVar(flags, &f.imprint.Contact, "contact", "who is responsible for the page: a `name`, an address or both")
	textVar(flags, &f.date, "date", "the `date` of the page, as in 2026-03-31")
	textVar(flags, &f.imprint.Note, "note", "a `text` at the beginning of the page, for example for whom the model is meant")
}

// mostImprint is the maximum length of a text that a flag adds to a page, in characters.
const mostImprint = 2000

// read parses the date. It returns an error if flags for the page are set without --html, if a text for the page is
// too long, or if --date is not a date.
func (f *pageFlags) read() error {
	for _, of := range [][2]string{{"title", f.imprint.Title}, {"contact", f.imprint.Contact}, {"date", f.date}, {"note", f.imprint.Note}} {
		switch name, text := of[0], of[1]; {
		case text == "":
		case f.html == "":
			return fmt.Errorf("--%s requires --html, because only the HTML page shows the %[1]s; add it, or leave --%[1]s out", name)
		case utf8.RuneCountInString(text) > mostImprint:
			return fmt.Errorf("--%s has more than %d characters; shorten it", name, mostImprint)
		}
	}
	if f.date == "" {
		return nil
	}
	var err error
	if f.imprint.Date, err = time.Parse(time.DateOnly, f.date); err != nil {
		return fmt.Errorf("--date %s must be a date such as 2026-03-31", quote.Word(f.date))
	}
	return nil
}
