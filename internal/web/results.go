package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

// A releasedFile is a file that a release has published. It contains a model, synthetic data or an evaluation; the
// corresponding pointer is not nil.
type releasedFile struct {
	text       []byte
	model      *model.Model
	data       *synthetic.Model
	evaluation *evaluation.File
}

// open reads and parses a released file.
func (s *Server) open(name string) (releasedFile, error) {
	text, err := s.read(name)
	if err != nil {
		return releasedFile{}, err
	}
	r := releasedFile{text: text}
	switch {
	case synthetic.Is(text):
		r.data, err = synthetic.Parse(text)
	case evaluation.Is(text):
		r.evaluation, err = evaluation.Parse(text)
	default:
		r.model, err = mechanism.Read(bytes.NewReader(text))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", quote.Name(name), err)
	}
	return r, err
}

// results iterates over the released files in the directory, sorted by name.
func (s *Server) results() iter.Seq2[string, releasedFile] {
	return func(yield func(string, releasedFile) bool) {
		names, err := s.list(modelEnding)
		if err != nil {
			return
		}
		for _, name := range names[:min(len(names), mostResults)] {
			if r, err := s.open(name); err == nil && !yield(name, r) { // other JSON files are skipped
				return
			}
		}
	}
}

// A resultsPage lists the released files in the directory and the entries of the ledger.
type resultsPage struct {
	selection
	Files   []resultFile
	History []historyEntry
}

// A resultFile is a released file in the directory.
type resultFile struct {
	Name, What, Title, Terms string
}

// A historyEntry is an entry of the ledger, with the names of those released files whose digest it records.
type historyEntry struct {
	ledgerEntry
	Files []string
}

// mostResults is the maximum number of files that are read for the list of released files.
const mostResults = 300

func showResults(q *request) error { return q.resultsPage(nil) }

func (q *request) resultsPage(refused error) error {
	c := resultsPage{selection: q.choice()}
	digests := map[string][]string{}
	titles := map[string]string{} // the titles of models, by the digest of the model file, which evaluations name
	evaluated := map[int]string{} // for each evaluation, by its index in c.Files, the digest of the model that it evaluates
	for name, r := range q.results() {
		f := resultFile{Name: name, Terms: guaranteeTerms(r)}
		switch {
		case r.model != nil:
			sheet := r.model.Sheet()
			f.What, f.Title = sheet.Thing(), sheet.Title
			if digest, err := evaluation.Digest(r.model); err == nil {
				titles[digest] = sheet.Title
			}
			add(digests, digestOf(r.text), name)
		case r.evaluation != nil:
			f.What = "evaluation"
			evaluated[len(c.Files)] = r.evaluation.Model
			add(digests, digestOf(r.text), name)
		default:
			f.What, f.Title = "synthetic data", r.data.Layout.Schema.Name
			rows := strings.TrimSuffix(name, modelEnding) + ".csv"
			if of, err := q.read(rows); err == nil {
				add(digests, digestOf(of, r.text), rows+" and "+name)
			}
		}
		c.Files = append(c.Files, f)
	}
	for i, digest := range evaluated {
		c.Files[i].Title = titles[digest]
	}
	schemas, err := q.list(schemaEnding)
	if err != nil {
		return err
	}
	for _, name := range schemas[:min(len(schemas), mostSchemas)] {
		if text, err := q.read(name); err == nil {
			add(digests, digestOf(text), name)
		}
	}
	if c.Ledger != "" {
		err := q.withLedger(c.Ledger, func(a *account.Account) error {
			s, err := a.Statement(q.r.Context())
			if err != nil {
				return err
			}
			for _, e := range s.Entries {
				c.History = append(c.History, historyEntry{ledgerEntry{e, release.NameOfEntry(e.Description)}, digests[e.SHA256]})
			}
			return nil
		})
		if err != nil && refused == nil {
			refused = err
		}
	}
	slices.Reverse(c.History)
	p := page{Title: "Results", Step: "results", Content: c}
	if refused != nil {
		p.Error = inWords(refused)
	}
	return q.render("results", p)
}

func add(all map[string][]string, digest, name string) { all[digest] = append(all[digest], name) }

// digestOf returns the digest by which a ledger identifies a release of files with the given texts.
func digestOf(texts ...[]byte) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func guaranteeTerms(r releasedFile) string {
	g := r.guarantee()
	if g == "" {
		return "NOT PRIVATE"
	}
	return g
}

func (r releasedFile) guarantee() string {
	switch {
	case r.model != nil && r.model.Guarantee != nil:
		return report.Terms(r.model.Guarantee)
	case r.data != nil && r.data.Guarantee != nil:
		return report.Terms(r.data.Guarantee)
	case r.evaluation != nil && r.evaluation.Guarantee != nil:
		return report.Terms(r.evaluation.Guarantee)
	}
	return ""
}

// A resultPage shows a released file.
type resultPage struct {
	File, What, Terms string
	Digest            string
	Promise           []string
	Text              string // the model in readable form
	Formats           []export.Format
	Dialects          []string
	Rows              string // the file of synthetic rows, or ""
	Kind              string // model, synthetic or evaluation
	Evaluable         bool   // whether the file is a model with a guarantee
	Asked             map[string]string
}

func showResult(q *request) error { return q.resultPage(q.form.Get("file"), nil) }

func (q *request) resultPage(name string, refused error) error {
	r, err := q.open(name)
	if err != nil {
		return q.resultsPage(err)
	}
	c := resultPage{File: name, Digest: digestOf(r.text), Terms: guaranteeTerms(r), Asked: q.asked()}
	p := page{Title: name, Step: "results"}
	var b bytes.Buffer
	switch {
	case r.model != nil:
		sheet := r.model.Sheet()
		c.Kind, c.What, c.Formats, c.Evaluable = "model", sheet.Thing(), export.Formats, r.model.Guarantee != nil
		for _, d := range export.Dialects {
			c.Dialects = append(c.Dialects, d.Name)
		}
		c.Promise = promise(report.Guarantee(sheet.Thing(), r.model.Guarantee, r.model.Void.Text(), r.model.Schema))
		if sheet.Title != "" {
			p.Title = sheet.Title
		}
		if err := sheet.Write(&b); err != nil {
			return err
		}
	case r.evaluation != nil:
		e, err := q.evaluated(r.evaluation)
		if err != nil {
			return q.resultsPage(err)
		}
		c.Kind, c.What = "evaluation", "evaluation"
		c.Promise = promise(report.Guarantee("estimate", e.Guarantee, e.Void.Text(), e.Schema))
		if title := e.Heading.Title; title != "" {
			p.Title = "Evaluation: " + title
		}
		if err := e.Write(&b); err != nil {
			return err
		}
	default:
		c.Kind, c.What = "synthetic", "synthetic data"
		c.Promise = promise(report.Guarantee("data", r.data.Guarantee, r.data.Void.Text(), r.data.Layout.Schema))
		if title := r.data.Layout.Schema.Name; title != "" {
			p.Title = title
		}
		if err := r.data.Card().Write(&b); err != nil {
			return err
		}
		rows := strings.TrimSuffix(name, modelEnding) + ".csv"
		if path, err := q.path(rows); err == nil {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				c.Rows = rows
			}
		}
	}
	c.Text = b.String()
	if refused != nil {
		p.Error = inWords(refused)
	}
	p.Content = c
	return q.render("result", p)
}

// promise splits the text of a guarantee into sentences, and removes the line breaks in them.
func promise(text string) (sentences []string) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if n := len(sentences); n > 0 && !strings.HasSuffix(sentences[n-1], ".") {
			sentences[n-1] += " " + line
			continue
		}
		sentences = append(sentences, line)
	}
	return sentences
}

// showModelPage sends the HTML page of a released model, as sibyl show --html writes it.
func showModelPage(q *request) error {
	name := q.form.Get("file")
	r, err := q.open(name)
	if err != nil {
		return q.resultsPage(err)
	}
	var b bytes.Buffer
	switch {
	case r.model != nil:
		err = writeModelPage(&b, r.model)
	case r.evaluation != nil:
		e, missing := q.evaluated(r.evaluation)
		if missing != nil {
			return q.resultsPage(missing)
		}
		err = e.WriteHTML(&b, report.Imprint{})
	default:
		err = r.data.WriteHTML(q.r.Context(), &b, synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)}, report.Imprint{})
	}
	if err != nil {
		return err
	}
	q.w.Header().Set("Content-Security-Policy", modelPolicy())
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	q.w.Write(b.Bytes())
	return nil
}

// exportModel sends a released model as a download, in the chosen export format.
func exportModel(q *request) error {
	name := q.form.Get("file")
	r, err := q.open(name)
	switch {
	case err != nil:
		return q.resultsPage(err)
	case r.model == nil:
		return q.resultPage(name, errors.New("this release cannot be exported, because it is not a model that predicts"))
	}
	at := slices.IndexFunc(export.Formats, func(f export.Format) bool { return f.Name == q.form.Get("format") })
	if at < 0 {
		return q.resultPage(name, errors.New("choose a format"))
	}
	format := export.Formats[at]
	o := export.Options{Dialect: q.form.Get("dialect"), Table: strings.TrimSpace(q.form.Get("table")), ID: strings.TrimSpace(q.form.Get("id"))}
	if o.Table == "" {
		o.Table = export.UsualTable
	}
	text, err := format.Write(r.model, o)
	if err != nil {
		return q.resultPage(name, err)
	}
	return q.download(strings.TrimSuffix(name, modelEnding)+format.Ending, text)
}

// download sends a text as a file with the given name, which the browser saves.
func (q *request) download(name string, text []byte) error {
	q.w.Header().Set("Content-Type", "application/octet-stream")
	q.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	q.w.WriteHeader(http.StatusOK)
	q.w.Write(text)
	return nil
}

// sendFile sends a released file: a model, or the rows of synthetic data.
func sendFile(q *request) error {
	name := q.form.Get("file")
	r, err := q.open(name)
	if err != nil {
		return q.resultsPage(err)
	}
	if q.form.Get("rows") == "yes" && r.data != nil {
		name = strings.TrimSuffix(name, modelEnding) + ".csv"
		if r.text, err = q.read(name); err != nil {
			return q.resultPage(q.form.Get("file"), err)
		}
	}
	return q.download(name, r.text)
}
