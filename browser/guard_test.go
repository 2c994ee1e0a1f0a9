package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// entries counts the published releases that the pages list.
func (b *tab) entries() (n int) {
	b.Helper()
	b.open("budget")
	b.run(chromedp.Evaluate(`document.querySelectorAll("main table tbody tr").length`, &n))
	return n
}

// prepare names the data and the schema of the demonstration, and opens a ledger.
func (b *tab) prepare() {
	b.Helper()
	b.open("data")
	b.fill("location", "hospital.csv")
	b.send("Use this table")
	b.send("hospital.toml")
	b.terms("patients", "no", "3")
	b.send("Open the new ledger")
}

// terms fills in the form of a new ledger: the people, whether it is for synthetic data too, and its ε.
func (b *tab) terms(of, synthetic, epsilon string) {
	b.Helper()
	b.open("budget")
	b.fill("of", of)
	b.tick("synthetic", synthetic)
	b.fill("epsilon", epsilon)
}

// reviewed fills in the form of a release and sends it, which leads to the page that asks for a confirmation.
func (b *tab) reviewed(file, pad string) {
	b.Helper()
	b.open("release")
	b.fill("class", "conjunction")
	b.fill("file", file)
	b.fill("pad", pad)
	b.fill("epsilon", "0.5")
	b.send("Review the release")
}

// finished waits for the result of a release.
func (b *tab) finished() {
	b.Helper()
	b.until("result", `/What protects people/.test(document.body.innerText)`)
}

// published opens the page of a released model, as the result links it, in the tab pages.
func (b *tab) published(pages *tab) {
	b.Helper()
	var page string
	b.run(chromedp.AttributeValue("//a[contains(., 'Open the page')]", "href", &page, nil, chromedp.BySearch))
	pages.run(chromedp.Navigate("http://" + b.server.address + page))
	pages.until("calculator", `!document.getElementById("calculator").hidden`)
}

// holds checks that the files are in the directory of the server, and not empty.
func (b *tab) holds(names ...string) {
	b.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(b.server.directory, name)); err != nil || info.Size() == 0 {
			b.Errorf("there is no file %s", name)
		}
	}
}

// The server refuses a wrong key, a page of another site, and a foreign host name that resolves to this machine. Two
// tabs, the back button and a reload do not make a release twice.
func TestGuard(t *testing.T) {
	s := serve(t)
	_, port, _ := net.SplitHostPort(s.address)
	b := browse(t, s, chromedp.Flag("host-resolver-rules", "MAP evil.example 127.0.0.1"))
	b.run(chromedp.Navigate("http://" + s.address + "/"))
	b.fill("key", "wrong")
	b.send("Sign in")
	b.says("This key is not valid")
	b.signIn()
	b.prepare()

	// A foreign host name that resolves to this machine.
	foreign := b.another()
	foreign.run(chromedp.Navigate("http://evil.example:" + port + strings.TrimPrefix(b.base, "http://"+s.address) + "data"))
	foreign.says("only at its own address")

	// A page of another site shows a page of the server in a frame, and sends a form to it.
	evil := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><iframe src="%[1]sdata"></iframe><form method="post" action="%[1]sledger-open"><input name="of" value="x"><input name="epsilon" value="9"><button>Go</button></form>`, b.base)
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group parallel.Group
	group.Go(func() { evil.Serve(l) })
	defer group.Wait()
	defer evil.Close()
	other := b.another()
	other.run(chromedp.Navigate("http://evil.example:" + fmt.Sprint(l.Addr().(*net.TCPAddr).Port)))
	var framed string
	other.run(chromedp.Evaluate(`(() => { try { return document.querySelector("iframe").contentDocument?.body.innerText ?? "" } catch { return "" } })()`, &framed))
	if strings.Contains(framed, "private table") {
		t.Error("a page is shown in a frame")
	}
	other.run(chromedp.Click("button", chromedp.ByQuery))
	other.until("refusal", `/did not work/.test(document.body.innerText)`)

	// In two tabs, each confirmation is for the release that its own tab shows.
	two := b.another()
	b.reviewed("one.json", "")
	two.reviewed("two.json", "")
	b.says("one.json")
	b.send("Spend this and release")
	b.finished()
	two.send("Spend this and release")
	two.finished()
	if n := b.entries(); n != 2 {
		t.Errorf("two tabs make %d releases", n)
	}

	// The back button leads to a page whose release was already confirmed. Confirming it again releases nothing.
	b.reviewed("three.json", "10s")
	b.send("Spend this and release")
	b.until("running release", `/This is running/.test(document.body.innerText)`)
	b.run(chromedp.Reload())
	b.finished()
	b.run(chromedp.Evaluate(`history.back()`, nil))
	b.until("remark on the release", `/already started/.test(document.body.innerText)`)
	if n := b.entries(); n != 3 {
		t.Errorf("the back button and a reload make %d releases", n)
	}
}

// hostile are names for files, columns and categories that contain code (HTML, scripts, templates, formulas of
// spreadsheets) or misleading characters.
var hostile = []string{
	`<script>document.title="owned"</script>`, `"><img src=x onerror=alert(1)>`, `'><svg onload=alert(1)>`, `{{.CSRF}}`, `</textarea><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`, `javascript:alert(1)`, `=HYPERLINK("http://evil.example")`, `+cmd|' /C calc'!A0`, `@SUM(1)`,
	"\u202egnp.exe", "\u2066left\u2069", "\u200bhidden", `a&amp;b`, `&lt;b&gt;`,
	`%3Cscript%3E`, `<!-- -->`, `]]>`, "🙂 é ß", `x" autofocus onfocus="alert(1)`,
}

// Hostile names are shown as text: no script in them runs, and no HTML element in them is created.
func TestHostileNames(t *testing.T) {
	s := serve(t)
	var schema strings.Builder
	schema.WriteString("name = '<script>document.title=\"owned\"</script>'\n[label]\ncolumn = \"back_within_month\"\npositive = [\"yes\"]\nnegative = [\"no\"]\n")
	for i, name := range hostile {
		fmt.Fprintf(&schema, "[[attribute]]\ncolumn = \"c%d\"\nname = %s\nvalues = [%s, \"b\"]\n", i, quoted(name), quoted(name+" value"))
		if strings.ContainsAny(name, "/\x00") {
			continue
		}
		for _, end := range []string{".csv", ".toml", ".json", ".db"} {
			s.put(name+end, "[")
		}
	}
	s.put("names.toml", schema.String())
	var columns strings.Builder
	for _, name := range hostile {
		columns.WriteString("[[attribute]]\ncolumn = " + quoted(name) + "\nvalues = [" + quoted(name) + "]\nother = " + quoted("other "+name) + "\n")
	}
	s.put("columns.toml", columns.String())
	b := browse(t, s)
	b.signIn()
	alerts := 0
	chromedp.ListenTarget(b.Context, func(event any) {
		if strings.Contains(fmt.Sprintf("%T", event), "EventJavascriptDialogOpening") {
			alerts++
		}
	})
	b.prepare()
	for _, page := range []string{"data", "schema", "schema-edit?file=names.toml", "schema-edit?file=columns.toml", "budget", "plan", "release", "results", "plan?schema=names.toml&rows=100&epsilon=1", "plan?schema=names.toml&rows=100&slider=1&class=" + url.QueryEscape(hostile[0]),
		"release?what=evaluation&model=" + url.QueryEscape(hostile[1]) + "&file=" + url.QueryEscape(hostile[0]), "result?file=" + url.QueryEscape(hostile[1])} {
		b.open(page)
		var strange int
		b.run(chromedp.Evaluate(`[...document.querySelectorAll("script, img, svg[onload], [onerror], [onfocus], iframe")].filter(e => e.getAttribute("src") !== "/page.js").length`, &strange))
		var title string
		b.run(chromedp.Title(&title))
		if strange != 0 || title == "owned" || alerts != 0 {
			t.Errorf("%s: %d strange elements, title %q, %d alerts", page, strange, title, alerts)
		}
	}
	b.open("schema-edit?file=columns.toml")
	b.send("Save the columns")
	if text, err := os.ReadFile(filepath.Join(s.directory, "columns.toml")); err != nil || !strings.Contains(string(text), `</textarea><script>alert(1)</script>`) {
		t.Errorf("the form changes names: %v %s", err, text)
	}
	for i, name := range hostile[:3] {
		b.fill(field(i, "kind"), "category")
		b.fill(field(i, "values"), name+"\nnew "+name)
	}
	b.send("Save the columns")
	b.says("20")
}
