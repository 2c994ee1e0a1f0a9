package web

import (
	"errors"
	"os"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// A dataPage is the page on which the user enters the location of the data.
type dataPage struct {
	selection
	Asked selection // the values of the form if it was refused
	Files []string  // the files in the directory that may be data
}

func showData(q *request) error { return q.dataPage(selection{}, nil) }

func (q *request) dataPage(asked selection, refused error) error {
	now := q.choice()
	files, err := q.list(".csv", ".tsv", ".txt", ".parquet", ".xlsx")
	if err != nil {
		return err
	}
	p := page{Title: "Data", Step: "data", Content: dataPage{now, asked, files}}
	if refused != nil {
		p.Error = inWords(refused)
	}
	return q.render("data", p)
}

// nameData stores the location of the data that the user has entered. It does not read the data.
func nameData(q *request) error {
	asked := selection{Location: strings.TrimSpace(q.form.Get("location")), Query: strings.TrimSpace(q.form.Get("query"))}
	if err := q.checkLocation(asked); err != nil {
		if database.IsURL(asked.Location) {
			asked.Location = "" // it may hold a password
		}
		return q.dataPage(asked, err)
	}
	q.choose(func(c *selection) { c.Location, c.Query = asked.Location, asked.Query })
	return q.redirect("schema")
}

// checkLocation returns an error if the location of the data or its query is missing or invalid. It
// does not read the data.
func (q *request) checkLocation(c selection) error {
	switch {
	case c.Location == "" || c.Location == "-":
		return errors.New("name a file, or the address of a database")
	case database.IsURL(c.Location):
		if _, err := database.Parse(c.Location); err != nil {
			return err
		}
		if c.Query == "" {
			return errors.New("a database needs a query that selects the rows, such as SELECT age, job FROM people")
		}
		return nil
	case c.Query != "":
		return errors.New("a query is for a database, but this is a file; leave the query out")
	}
	path := q.from(c.Location, "").Location
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return errors.New(source.FileName(c.Location) + ": the file cannot be read: " + publish.Inner(err).Error())
	case info.IsDir():
		return errors.New(source.FileName(c.Location) + ": this is a directory; name a file in it")
	}
	return nil
}
