package web

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// ledger returns the location of a ledger: the path of the named file in the server's directory or, if the name is
// the URL of a database, this URL.
func (s *Server) ledger(name string) (string, error) {
	if name == "" {
		return "", errors.New("choose a ledger")
	}
	if database.IsURL(name) {
		return name, nil
	}
	path, err := s.path(name)
	if err != nil {
		return "", err
	}
	// A relative path may look like the address of a database; an absolute path cannot.
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	return path, nil
}

// withLedger opens the ledger with the given name, calls f with it and closes it.
func (q *request) withLedger(name string, f func(*account.Account) error) error {
	location, err := q.ledger(name)
	if err != nil {
		return err
	}
	a, err := account.Open(q.r.Context(), location)
	if err != nil {
		return err
	}
	defer a.Close()
	return f(a)
}

// A budgetPage shows the chosen ledger, and contains the form that creates a ledger.
type budgetPage struct {
	selection
	Ledgers   []string
	Statement *account.Statement // the statement of the chosen ledger, or nil
	Synthetic privacy.Decimal    // the largest ε of one more release of synthetic data, or 0
	Picture   *picture
	Entries   []ledgerEntry
	Spent     float64 // the spent fraction of the budget, in percent
	Reserved  float64
	Asked     map[string]string
	People    int // the maximum number of rows of a person by the chosen schema, or 0
}

// A ledgerEntry is an entry of a ledger, together with a name for its release.
type ledgerEntry struct {
	account.Recorded
	Name string
}

func showBudget(q *request) error { return q.budgetPage(nil, "") }

func (q *request) budgetPage(refused error, notice string) error {
	names, err := q.list(ledgerEnding)
	if err != nil {
		return err
	}
	content := budgetPage{selection: q.choice(), Ledgers: names}
	if s, _, err := q.openSchema(content.Schema); content.Schema != "" && err == nil && s.Person != nil {
		content.People = s.Person.Most
	}
	if content.Ledger != "" {
		err := q.withLedger(content.Ledger, func(a *account.Account) (err error) {
			content.Statement, err = a.Statement(q.r.Context())
			return err
		})
		if err != nil && refused == nil {
			refused = err
		}
	}
	if s := content.Statement; s != nil {
		content.Spent, content.Reserved = 100*s.Spent.Share(s.Limit), 100*s.Reserved.Share(s.Limit)
		content.Picture = newPicture(s, time.Now())
		if !s.Terms.Delta.IsZero() {
			content.Synthetic = release.MostGaussian(s)
		}
		for _, e := range s.Entries {
			content.Entries = append(content.Entries, ledgerEntry{e, release.NameOfEntry(e.Description)})
		}
	}
	p := page{Title: "Budget", Step: "budget", Notice: notice}
	if refused != nil {
		p.Error, content.Asked = inWords(refused), q.asked()
	}
	p.Content = content
	return q.render("budget", p)
}

// openLedger creates the ledger (a record of releases and of the privacy budget that they consume) that the form of
// the page describes.
func openLedger(q *request) error {
	name, err := q.createLedger()
	if err != nil {
		return q.budgetPage(err, "")
	}
	q.choose(func(c *selection) { c.Ledger = name })
	return q.redirect("budget")
}

func (q *request) createLedger() (name string, err error) {
	delta := ""
	switch q.form.Get("synthetic") {
	case "yes":
		if delta = strings.TrimSpace(q.form.Get("delta")); delta == "" || delta == "0" {
			return "", errors.New("synthetic data needs a δ above 0, such as 1e-9")
		}
	case "no":
	default:
		return "", errors.New("choose whether the ledger is also for synthetic data, because a ledger cannot be changed later")
	}
	terms, err := account.NewTerms(strings.TrimSpace(q.form.Get("epsilon")), delta, strings.TrimSpace(q.form.Get("of")))
	if err != nil {
		return "", err
	}
	relation := q.form.Get("relation")
	if rows := q.form.Get("rows-of-person"); rows != "1" && rows != "" {
		relation += "-person-" + rows
	}
	if err := terms.Relation.UnmarshalText([]byte(relation)); err != nil {
		return "", errors.New("choose who is protected, a row or a person with several rows")
	}
	name = named(q.form.Get("file"), ledgerEnding)
	location, err := q.ledger(name)
	if err != nil {
		return "", err
	}
	other := q.form.Get("besides")
	if other == "" {
		return name, account.Create(q.r.Context(), location, terms)
	}
	if other, err = q.ledger(other); err != nil {
		return "", err
	}
	return name, account.CreateSecond(q.r.Context(), location, terms, other)
}

// useLedger selects an existing ledger for all later releases.
func useLedger(q *request) error {
	name := strings.TrimSpace(q.form.Get("file"))
	if err := q.withLedger(name, func(*account.Account) error { return nil }); err != nil {
		return q.budgetPage(err, "")
	}
	q.choose(func(c *selection) { c.Ledger = name })
	return q.redirect("budget")
}

// verifyLedger recomputes all hashes, charges and sums of a ledger and reports whether they are valid.
func verifyLedger(q *request) error {
	entries := 0
	err := q.withLedger(q.form.Get("file"), func(a *account.Account) error {
		if err := a.Verify(q.r.Context(), release.Recompute); err != nil {
			return err
		}
		s, err := a.Statement(q.r.Context())
		if err == nil {
			entries = len(s.Entries)
		}
		return err
	})
	if err != nil {
		return q.budgetPage(err, "")
	}
	return q.budgetPage(nil, fmt.Sprintf("All hashes, charges and sums of the ledger are correct. Entries: %d.", entries))
}

// A picture is a chart of the spent fraction of a budget over time.
type picture struct {
	Line, Area  string // points of the line, and of the area below it
	First, Last string // the dates at both ends of the time axis
	Text        string // a description of the chart for people who cannot see it
	Marks       []mark
}

// A mark is the point of a release in the chart.
type mark struct{ X, Y float64 }

// These constants are the edges of the area of the chart in which the curve is drawn.
const (
	pictureLeft, pictureRight = 60.0, 700.0
	pictureTop, pictureBottom = 20.0, 180.0
)

// newPicture returns a chart of the releases in a statement, or nil if there are none.
func newPicture(s *account.Statement, now time.Time) *picture {
	var times []time.Time
	for _, e := range s.Entries {
		at, err := time.Parse(time.RFC3339, e.Reserved)
		if err != nil {
			return nil
		}
		times = append(times, at)
	}
	if len(times) == 0 {
		return nil
	}
	first := times[0]
	for _, at := range times {
		if at.After(now) {
			now = at
		}
	}
	length := now.Sub(first).Seconds()
	x := func(at time.Time) float64 {
		if length <= 0 {
			return pictureLeft
		}
		return pictureLeft + at.Sub(first).Seconds()/length*(pictureRight-pictureLeft)*0.97
	}
	y := func(share float64) float64 { return pictureBottom - min(share, 1)*(pictureBottom-pictureTop) }
	p := &picture{First: first.Local().Format("2 January 2006"), Last: now.Local().Format("2 January 2006")}
	var line strings.Builder
	spent := 0.0
	fmt.Fprintf(&line, "%.1f,%.1f", pictureLeft, pictureBottom)
	for i, at := range times {
		fmt.Fprintf(&line, " %.1f,%.1f", x(at), y(spent))
		spent += s.Entries[i].Charge.Share(s.Limit)
		fmt.Fprintf(&line, " %.1f,%.1f", x(at), y(spent))
		p.Marks = append(p.Marks, mark{x(at), y(spent)})
	}
	fmt.Fprintf(&line, " %.1f,%.1f", pictureRight, y(spent))
	p.Line = line.String()
	p.Area = p.Line + fmt.Sprintf(" %.1f,%.1f", pictureRight, pictureBottom)
	p.Text = fmt.Sprintf("From %s to %s, releases: %d, spent: %.0f percent of the budget.", p.First, p.Last, len(times), 100*spent)
	return p
}

// relationOf returns the neighbour relation of requests that are charged to a ledger with the terms t. The result is
// a relation of rows, from which package release derives the relation of persons if the schema has a [person].
func relationOf(t account.Terms) privacy.Relation {
	if t.Relation.Replaces() {
		return privacy.ReplaceOne
	}
	return privacy.AddRemove
}
