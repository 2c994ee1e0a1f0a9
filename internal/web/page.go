package web

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed files
var staticFiles embed.FS

// files lists the files that the server sends to everybody, without a sign-in.
var files = map[string]file{
	"/style.css": {"files/style.css", "text/css; charset=utf-8"},
	"/page.js":   {"files/page.js", "text/javascript; charset=utf-8"},
}

type file struct{ path, media string }

func (f file) send(q *request) error {
	if q.r.Method != http.MethodGet || q.r.URL.RawQuery != "" {
		return refuse(http.StatusBadRequest, "The address is not one of this server.")
	}
	text, err := staticFiles.ReadFile(f.path)
	if err != nil {
		return err
	}
	q.w.Header().Set("Content-Type", f.media)
	q.w.Write(text) // a browser may close the connection at any time
	return nil
}

// A page holds the data for the layout of all pages, and the data of one particular page (Content).
type page struct {
	Title   string
	Step    string // the path of the step that the page belongs to, or ""
	Steps   []step
	Base    string // the beginning of all paths
	CSRF    string
	Error   string // the reason why the form was refused, or why a job has no result, or ""
	Job     bool   // whether Error is that of a job, which may have consumed budget
	Notice  string // the effect of the form, or ""
	Content any
}

// A step is an entry in the navigation of all pages, which lists the steps from a table to a released model.
type step struct {
	Path, Name, What string
	Done             string // what was chosen, or ""
}

// render sends the page p with the named template. The status code is 422 if p states that a form was refused.
func (q *request) render(name string, p page) error {
	if q.session != nil {
		p.Base, p.CSRF, p.Steps = q.session.base, q.session.csrf, q.steps()
	}
	var text bytes.Buffer
	if err := templates()[name].ExecuteTemplate(&text, "layout", p); err != nil {
		return err
	}
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if p.Error != "" {
		q.w.WriteHeader(http.StatusUnprocessableEntity)
	}
	q.w.Write(text.Bytes())
	return nil
}

// asked returns the values of a form by name, with which the form is shown again if it is refused.
func (q *request) asked() map[string]string {
	all := map[string]string{}
	for name, values := range q.form {
		all[name] = values[0]
	}
	return all
}

// redirect answers a form with a redirection to another page, so that a reload does not send the form again.
func (q *request) redirect(path string) error {
	http.Redirect(q.w, q.r, q.session.base+path, http.StatusSeeOther)
	return nil
}

// templates returns the templates of all pages by name. It parses them when it is called first.
var templates = sync.OnceValue(func() map[string]*template.Template {
	layout := template.Must(template.New("layout").Funcs(functions).ParseFS(pageFiles, "pages/layout.html"))
	all := map[string]*template.Template{}
	entries, err := pageFiles.ReadDir("pages")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".html"); name != "layout" {
			all[name] = template.Must(template.Must(layout.Clone()).ParseFS(pageFiles, "pages/"+e.Name()))
		}
	}
	return all
})

var functions = template.FuncMap{
	"clean": quote.Clean,
	"join":  strings.Join,
	"lines": func(values []string) string { return strings.Join(values, "\n") },
	"add":   func(a, b int) int { return a + b },
	"time":  minute,
	"used":  func(a account.Amount) string { return release.Rounded(a, privacy.RoundUp, shownDigits) },
	"left":  func(a account.Amount) string { return release.Rounded(a, privacy.RoundDown, shownDigits) },
}

// shownDigits is the maximum number of significant digits with which pages show an amount of budget. The command
// sibyl account shows more.
const shownDigits = 4

// minute formats the time of an event of a ledger, truncated to the minute.
func minute(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

// refusalPage returns the template of the page that answers a refused request. The page needs no session.
var refusalPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("refusal").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sibyl: refused</title>
<link rel="stylesheet" href="/style.css">
<main class="alone">
<h1>This did not work</h1>
<p>{{.}}</p>
</main>
</html>
`))
})

// inWords returns the text of an error for a page. In it, parameters have the names of the inputs on the page.
func inWords(err error) string {
	return quote.Line(parameter.Say(err, fieldName))
}

// fieldName returns the name on pages of a parameter that an error names.
func fieldName(name string) string {
	if word, known := fieldNames[name]; known {
		return word
	}
	return strings.ReplaceAll(name, "-", " ")
}

// fieldNames maps parameters to their names on pages, where these differ from the names of the flags.
var fieldNames = map[string]string{
	"epsilon": "ε", "delta": "δ", "rows": "number of rows", "account": "ledger", "force": "replacing files",
	"columns": "the names of the columns", "data": "the data", "pad-to": "the padding", "total": "the total", "profiled-elsewhere": "the flag --profiled-elsewhere of the command",
}
