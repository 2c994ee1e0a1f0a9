package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A pendingRelease is a release that waits for the user's confirmation. It holds all parameters that its page showed,
// so it does not depend on later changes of files or in other tabs.
type pendingRelease struct {
	Title   string
	Facts   []fact
	Promise []string // the guarantee in lines
	Caution []string
	Data    string

	inputs  []string // files to read other than the data
	from    release.From
	ledger  string // the location of the ledger
	relates account.Terms
	pad     time.Duration
	outputs []string // names of files in the directory
	page    string   // the page to show at the end
	spends  *privacy.Statement
	schema  *table.Schema // the schema of the data, with its profiles
	release func(context.Context, release.From, release.Terms) error
}

// A fact is one line of the page that asks the user to confirm a release, such as the name and the value of a
// parameter.
type fact struct{ Name, Text string }

// mostReviewed is the maximum number of pending releases that a server keeps.
const mostReviewed = 20

// A releasePage contains the form in which the user describes a release.
type releasePage struct {
	selection
	Schemas, Ledgers, Models []string
	Kinds                    []model.Kind
	Asked                    map[string]string
}

func showRelease(q *request) error { return q.releasePage(nil) }

func (q *request) releasePage(refused error) error {
	c := releasePage{selection: q.choice(), Kinds: model.Kinds(), Models: q.models(), Asked: q.asked()}
	var err error
	if c.Schemas, err = q.list(schemaEnding); err != nil {
		return err
	}
	if c.Ledgers, err = q.list(ledgerEnding); err != nil {
		return err
	}
	p := page{Title: "Release", Step: "release"}
	if refused != nil {
		p.Error = inWords(refused)
	}
	p.Content = c
	return q.render("release", p)
}

// review checks the public parameters of a release, and shows a page that states how much budget the release would
// consume and asks for confirmation.
func review(q *request) error {
	var r *pendingRelease
	var err error
	switch q.form.Get("what") {
	case "model":
		r, err = q.reviewModel()
	case "synthetic":
		r, err = q.reviewSynthetic()
	case "evaluation":
		r, err = q.reviewEvaluation()
	default:
		err = errors.New("choose what is released")
	}
	if err == nil {
		err = q.admits(r)
	}
	if err != nil {
		return q.releasePage(err)
	}
	return q.redirect("confirm?ticket=" + q.keep(r))
}

// admits returns an error if the remaining budget of the ledger is too small for the release r, or if the ledger does
// not contain the profiles of its schema.
func (q *request) admits(r *pendingRelease) error {
	g, err := r.spends.Basis()
	if err != nil {
		return err
	}
	return q.withLedger(q.form.Get("ledger"), func(a *account.Account) error {
		if err := (release.Terms{Account: release.Ledger(a)}).Profiled(q.r.Context(), r.schema, g); err != nil {
			return err
		}
		return a.Admits(q.r.Context(), g)
	})
}

// keep stores a pending release and returns its ticket, a random text by which the confirmation identifies it.
func (s *Server) keep(r *pendingRelease) string {
	ticket := secret()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.tickets = append(s.tickets, ticket); len(s.tickets) > mostReviewed {
		delete(s.drafts, s.tickets[0])
		s.tickets = s.tickets[1:]
	}
	s.drafts[ticket] = r
	return ticket
}

// pendingRelease returns the pending release with the given ticket, or nil if there is none.
func (s *Server) pendingRelease(ticket string) *pendingRelease {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.drafts[ticket]
}

// common reads the form inputs that all releases have in common. The schema s comes from the given file, which common
// adds to the facts of the release under the name kind, which is "Schema" or "Model".
func (q *request) common(s *table.Schema, kind, file string) (r *pendingRelease, epsilon, delta privacy.Decimal, rows int64, err error) {
	now := q.choice()
	r = &pendingRelease{Data: now.Shown(), inputs: []string{filepath.Join(q.directory, file)}}
	if now.Location == "" {
		return nil, epsilon, delta, 0, errors.New("no table is chosen; name one on the page Data")
	}
	if q.form.Get("data") != now.Shown() {
		return nil, epsilon, delta, 0, errors.New("another table was chosen since this page was shown, perhaps in another tab; check the form again")
	}
	r.from = q.from(now.Location, now.Query)
	if epsilon, err = privacy.ParseDecimal(strings.TrimSpace(q.form.Get("epsilon"))); err != nil {
		return nil, epsilon, delta, 0, fmt.Errorf("ε %w", err)
	}
	if text := strings.TrimSpace(q.form.Get("delta")); text != "" {
		if delta, err = privacy.ParseDecimal(text); err != nil {
			return nil, epsilon, delta, 0, fmt.Errorf("δ %w", err)
		}
	}
	if rows, err = rowsOf(q.form.Get("rows")); err != nil {
		return nil, epsilon, delta, 0, err
	}
	if r.ledger, err = q.ledger(q.form.Get("ledger")); err != nil {
		return nil, epsilon, delta, 0, err
	}
	statement := &account.Statement{}
	err = q.withLedger(q.form.Get("ledger"), func(a *account.Account) (err error) {
		statement, err = a.Statement(q.r.Context())
		return err
	})
	if err != nil {
		return nil, epsilon, delta, 0, err
	}
	if r.pad, err = padOf(q.form.Get("pad")); err != nil {
		return nil, epsilon, delta, 0, err
	}
	r.relates = statement.Terms
	r.Facts = []fact{
		{"About whom", statement.Terms.Of},
		{"Table", r.Data},
		{kind, file},
		{"Ledger", fmt.Sprintf("%s, where %s is left", q.form.Get("ledger"), release.Rounded(statement.Left, privacy.RoundDown, shownDigits))},
	}
	if rows > 0 {
		r.Facts = append(r.Facts, fact{"Number of " + s.Unit(2), fmt.Sprint(rows)})
		if relationOf(r.relates).Replaces() {
			r.Caution = append(r.Caution, fmt.Sprintf("Is %d the exact number of %s? A table with another number is refused; unless it is a Parquet file, the ledger then counts the release as spent.", rows, s.Unit(2)))
		}
	}
	if most := s.Weight(); s.Person != nil && most > 0 {
		r.Facts = append(r.Facts, fact{"Rows of a person that count", fmt.Sprint(s.Person.Most)})
	}
	return r, epsilon, delta, rows, nil
}

// pads maps the values of an input to the paddings that the form offers. A padded release ends at a multiple of the
// padding after its start, to hide its running time.
var pads = map[string]time.Duration{"": 0, "10s": 10 * time.Second, "1m": time.Minute, "10m": 10 * time.Minute}

func padOf(text string) (time.Duration, error) {
	pad, known := pads[text]
	if !known {
		return 0, errors.New("choose whether the end of the release is delayed")
	}
	return pad, nil
}

// free returns the name of a new file in the directory, with the ending appended if it is missing. It returns an
// error if the file already exists.
func (q *request) free(name, ending string) (string, error) {
	name = named(name, ending)
	path, err := q.path(name)
	if err != nil {
		return "", err
	}
	drafts, err := publish.NewDrafts(q.r.Context(), &publish.Claims{}, false, publish.ForAll, path)
	if err != nil {
		return "", onPage(err, name)
	}
	drafts.Discard()
	return name, nil
}

// timeOf describes the expected time of a release. If the time has no bound, it also says how to make the search
// faster.
func timeOf(e *mechanism.Effort) string {
	if e.Search != mechanism.Unbounded {
		return e.Time()
	}
	return "not bounded: the search depends on the table, and may take minutes, or not end. Faster: " + e.Quicker.Say(fieldName) + ", or a larger ε; or leave the class empty, which chooses a fast one"
}

func (q *request) reviewModel() (*pendingRelease, error) {
	s, err := q.domain(q.form.Get("schema"))
	if err != nil {
		return nil, err
	}
	r, epsilon, _, rows, err := q.common(s, "Schema", q.form.Get("schema"))
	if err != nil {
		return nil, err
	}
	request := release.Request{Schema: s, Epsilon: epsilon, Relation: relationOf(r.relates), Rows: rows}
	if q.total() {
		withProfiles(&request)
	}
	choice, err := nameClass(&request, strings.TrimSpace(q.form.Get("class")))
	if err != nil {
		return nil, err
	}
	p, err := request.Prepare()
	if err != nil {
		return nil, err
	}
	name, err := q.free(q.form.Get("file"), modelEnding)
	if err != nil {
		return nil, err
	}
	r.Title, r.outputs, r.page = "Release a model", []string{name}, "result?file="+escape(name)
	class := strings.TrimSpace(q.form.Get("class"))
	if taken := choice.Taken(); taken != nil {
		class = taken.Class + ", chosen from public facts, since " + taken.Why
	}
	r.Facts = append(r.Facts, fact{"Class of models", class}, fact{"File", name})
	if !p.Risks.IsZero() {
		r.Facts = append(r.Facts, fact{"Part of ε for the risks", p.Risks.String()})
	}
	if e := p.Effort; e != nil {
		r.Facts = append(r.Facts, fact{"Time", timeOf(e)})
	}
	r.state("model", p.Guarantee, s)
	r.release = func(ctx context.Context, data release.From, t release.Terms) error {
		_, err := p.Release(ctx, data, t)
		return err
	}
	return r, nil
}

func (q *request) reviewSynthetic() (*pendingRelease, error) {
	s, err := q.domain(q.form.Get("schema"))
	if err != nil {
		return nil, err
	}
	r, epsilon, delta, rows, err := q.common(s, "Schema", q.form.Get("schema"))
	if err != nil {
		return nil, err
	}
	name, err := q.free(q.form.Get("file"), modelEnding)
	if err != nil {
		return nil, err
	}
	out, err := q.free(strings.TrimSuffix(name, modelEnding), ".csv")
	if err != nil {
		return nil, err
	}
	request := release.Synthetic{
		Schema: s, Epsilon: epsilon, Delta: delta, Total: q.total(), Relation: relationOf(r.relates), Rows: rows,
		Target: strings.TrimSpace(q.form.Get("target")), Out: out, Model: true, Drawing: synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)},
	}
	p, err := request.Prepare()
	if err != nil {
		return nil, err
	}
	r.Title, r.outputs, r.page = "Release synthetic data", []string{out, name}, "result?file="+escape(name)
	work := p.Plan.Work(rows)
	r.Facts = append(r.Facts, fact{"Files", out + " and " + name}, fact{"Time", "at most about " + mechanism.Seconds(work.Seconds) + " of one processor"})
	r.state("data", p.Guarantee, s)
	r.release = func(ctx context.Context, data release.From, t release.Terms) error {
		_, err := p.Release(ctx, data, t)
		return err
	}
	return r, nil
}

// total reports whether the ε and δ that the user entered are the budget of the release together with the profiles of
// its schema.
func (q *request) total() bool { return q.form.Get("total") != "" }

// withProfiles adapts the request for a model if its ε is the budget of the release together with the profiles of its
// schema. The form for models has no δ, so withProfiles sets the total δ to the δ that the profiles consumed.
func withProfiles(r *release.Request) {
	_, spent, _ := profiles.Spent(r.Schema)
	r.Delta, r.Total = spent, true
}

// state adds the guarantee g of the release to the page that asks for its confirmation: the budget that it consumes,
// and what it means. The parameter thing is the noun for the released result, such as "estimate", and s is the schema
// of the data.
func (r *pendingRelease) state(thing string, g *privacy.Statement, s *table.Schema) {
	r.spends, r.schema = g, s
	r.Facts = append(r.Facts, fact{"Spends", report.Terms(g)})
	r.Promise = append(promise(report.Guarantee(thing, g, "", s)), report.Meaning(g.Epsilon, g.Delta, g.Relation))
	if ten, err := privacy.ParseDecimal("10"); err == nil && g.Epsilon.Rat().Cmp(ten.Rat()) > 0 {
		r.Caution = append(r.Caution, "This ε is a weak promise: usual values are 0.1 to 2.")
	}
	if r.pad > 0 {
		r.Facts = append(r.Facts, fact{"Padding", fmt.Sprintf("the release ends at a multiple of %v after its start", r.pad)})
	}
}

// A confirmPage shows a pending release and asks the user to confirm it.
type confirmPage struct {
	*pendingRelease
	Ticket string
}

func showConfirm(q *request) error {
	ticket := q.form.Get("ticket")
	r := q.pendingRelease(ticket)
	if r == nil {
		return q.releasePage(errSpent)
	}
	return q.render("confirm", page{Title: r.Title, Step: "release", Content: confirmPage{r, ticket}})
}

var errSpent = errors.New("this release was already started, or its review has expired; check the results and the ledger, and for another release fill in the form again")

// startRelease starts the pending release that the ticket in the form identifies. A ticket is valid for one release.
func startRelease(q *request) error {
	ticket := q.form.Get("ticket")
	q.mutex.Lock()
	r := q.drafts[ticket]
	done := q.jobs.find(ticket)
	q.mutex.Unlock()
	switch {
	case done != nil:
		return q.redirect("job?id=" + ticket) // after a reload or the back button
	case r == nil:
		return q.releasePage(errSpent)
	}
	j := &job{ID: ticket, Title: r.Title, Cancel: "Cancelling is safe: nothing is published. If the table has been opened already, the ledger counts the release as spent."}
	if !q.start(j, func(ctx context.Context) outcome { return q.make(ctx, r) }) {
		return q.render("confirm", page{Title: r.Title, Step: "release", Error: "Another release or check is running. Start this one when it has ended.", Content: confirmPage{r, ticket}})
	}
	q.mutex.Lock()
	delete(q.drafts, ticket)
	q.mutex.Unlock()
	return q.redirect("job?id=" + ticket)
}

// make executes the release r. The outcome is the page to show, or the reason why nothing was released.
func (s *Server) make(ctx context.Context, r *pendingRelease) outcome {
	if err := s.charge(ctx, r); err != nil {
		if ctx.Err() != nil {
			err = errors.New("the release was cancelled and nothing was published; if the table had already been opened, the ledger counts the budget of the release as consumed")
		}
		return outcome{Err: inWords(err)}
	}
	return outcome{Page: r.page}
}

func (s *Server) charge(ctx context.Context, r *pendingRelease) error {
	files := &publish.Claims{}
	paths := append(source.Files(r.from.Location), account.Files(r.ledger)...)
	for _, path := range append(paths, r.inputs...) {
		if err := files.Reads(path); err != nil {
			return err
		}
	}
	var outputs []string
	for _, name := range r.outputs {
		outputs = append(outputs, filepath.Join(s.directory, name))
	}
	drafts, err := publish.NewDrafts(ctx, files, false, publish.ForAll, outputs...)
	if err != nil {
		return err
	}
	defer drafts.Discard()
	a, err := account.Open(ctx, r.ledger)
	if err != nil {
		return err
	}
	defer a.Close()
	return r.release(ctx, r.from, release.Terms{Account: release.Ledger(a), Pad: r.pad, Publish: drafts.Publish})
}

// A jobPage shows the state of a job, such as a release.
type jobPage struct {
	*job
	Running bool
	Result  any
}

func showJob(q *request) error {
	j := q.job(q.form.Get("id"))
	if j == nil {
		return refuse(http.StatusNotFound, "This server has no such release or check. Look at the results and the ledger.")
	}
	end := j.done.Load()
	if end == nil {
		return q.render("job", page{Title: j.Title, Step: "release", Content: jobPage{job: j, Running: true}})
	}
	if end.Page != "" {
		return q.redirect(end.Page)
	}
	p := page{Title: j.Title, Step: "release", Error: end.Err, Job: true, Content: jobPage{job: j, Result: end.Content}}
	if _, checked := end.Content.(*checkResult); checked {
		p.Step = "schema"
		j.done.Store(&outcome{Err: "The result of this check was shown once, and is not stored."})
		return q.render("checked", p)
	}
	return q.render("job", p)
}

// jobState answers with the state of a job: "running" or "ended".
func jobState(q *request) error {
	state := "ended"
	if j := q.job(q.form.Get("id")); j != nil && j.done.Load() == nil {
		state = "running"
	}
	q.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	q.w.Write([]byte(state))
	return nil
}

func cancelJob(q *request) error {
	id := q.form.Get("id")
	if j := q.job(id); j != nil {
		j.stop()
	}
	return q.redirect("job?id=" + escape(id))
}
