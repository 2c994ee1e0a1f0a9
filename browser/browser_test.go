package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// missing skips a test because a tool is missing. If all tools are required, it fails the test.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// built is the directory of the command after it has been built.
var built string

// command builds the command once.
var command = sync.OnceValues(func() (path string, err error) {
	if built, err = os.MkdirTemp("", "sibyl-browser-"); err != nil {
		return "", err
	}
	path = filepath.Join(built, "sibyl")
	build := exec.Command("go", "build", "-o", path, "./cmd/sibyl")
	build.Dir = ".."
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return path, nil
})

// commandIn returns a function that runs the command in a directory. The command must succeed.
func commandIn(t *testing.T, directory string) func(args ...string) {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) {
		t.Helper()
		cmd := exec.Command(path, args...)
		cmd.Dir = directory
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, said)
		}
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	os.Exit(code)
}

// A server is a running sibyl serve.
type server struct {
	t         *testing.T
	directory string
	address   string // host:port
	entry     string // the file that signs in
}

// serve starts the command in a new directory with the table and the schema of the demonstration.
func serve(t *testing.T) *server {
	t.Helper()
	path, err := command()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, directory: t.TempDir()}
	for _, name := range []string{"hospital.csv", "hospital.toml"} {
		text, err := os.ReadFile(filepath.Join("../cmd/sibyl/sample", name))
		if err != nil {
			t.Fatal(err)
		}
		s.put(name, string(text))
	}
	cmd := exec.Command(path, "serve", "--no-browser", "--directory", s.directory)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.address = regexp.MustCompile(`http://([0-9.:]+)/`).FindStringSubmatch(line)[1]
	s.entry = regexp.MustCompile(`/\S*/sign-in.html`).FindString(line)
	return s
}

func (s *server) put(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.directory, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// A tab is a page in the browser.
type tab struct {
	*testing.T
	context.Context
	server *server
	base   string // the address of the pages
}

// browse opens a browser with a profile of its own.
func browse(t *testing.T, s *server, more ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		missing(t, "Chromium is not on PATH")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(profile(t)),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1200, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	b := &tab{T: t, Context: ctx, server: s}
	b.run(chromedp.Navigate("about:blank"))
	return b
}

// profile returns an empty directory for the browser. Its processes may write there for a moment
// after the browser has ended.
func profile(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "sibyl-profile-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(directory); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("the directory of the browser cannot be removed: %v", err)
	})
	return directory
}

// another opens a new tab in the same browser.
func (b *tab) another() *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.Context)
	b.Cleanup(cancel)
	return &tab{b.T, ctx, b.server, b.base}
}

// close closes the tab, so that the earlier tab is in front again.
func (b *tab) close() {
	b.Helper()
	if err := chromedp.Cancel(b.Context); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.Context, actions...); err != nil {
		b.Fatalf("%s: %v", b.location(), err)
	}
}

func (b *tab) location() (at string) {
	chromedp.Run(b.Context, chromedp.Location(&at))
	return at
}

// signIn opens the file with the key, which leads to the first page.
func (b *tab) signIn() {
	b.Helper()
	b.run(chromedp.Navigate("file://"+b.server.entry), chromedp.WaitVisible("nav", chromedp.ByQuery))
	b.base = strings.TrimSuffix(b.location(), "data")
	if !strings.HasPrefix(b.base, "http://"+b.server.address+"/") {
		b.Fatalf("the file with the key leads to %s", b.base)
	}
}

// open opens the page with the given path below the base.
func (b *tab) open(page string) {
	b.Helper()
	b.run(chromedp.Navigate(b.base+page), chromedp.WaitReady("main", chromedp.ByQuery))
}

// fill sets a field of a form by its id.
func (b *tab) fill(id, value string) {
	b.Helper()
	var done bool
	b.run(chromedp.Evaluate(fmt.Sprintf(`(() => {
		const e = document.getElementById(%s);
		if (!e) return false;
		e.closest("details")?.setAttribute("open", "");
		e.focus();
		e.value = %s;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
		return e.value === %s;
	})()`, quoted(id), quoted(value), quoted(value)), &done))
	if !done {
		b.Fatalf("%s: the field %s does not take %q", b.location(), id, value)
	}
}

// tick selects the check box or radio button with the given name and value.
func (b *tab) tick(name, value string) {
	b.Helper()
	b.run(chromedp.Click(fmt.Sprintf("input[name=%q][value=%q]", name, value), chromedp.ByQuery))
}

// send clicks the button with that text, and waits for the page that follows.
func (b *tab) send(text string) {
	b.Helper()
	b.until("button "+text, fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll("main button, main a")].find(e => e.innerText.includes(%s));
		if (!e) return false;
		window.before = true;
		e.focus();
		e.click();
		return true;
	})()`, quoted(text)))
	b.until("a page after "+text, `!window.before && document.readyState === "complete"`)
}

// until waits until a JavaScript expression is true. The text what describes it in the error.
func (b *tab) until(what, expression string) {
	b.Helper()
	for range 600 {
		var holds bool
		if chromedp.Run(b.Context, chromedp.Evaluate(expression, &holds)) == nil && holds {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.Fatalf("%s: there is no %s; the page says: %s", b.location(), what, b.text())
}

// text returns the visible text of the page.
func (b *tab) text() (text string) {
	chromedp.Run(b.Context, chromedp.Evaluate(`document.body.innerText`, &text))
	return text
}

// says checks that the page contains the text want.
func (b *tab) says(want string) {
	b.Helper()
	if text := b.text(); !strings.Contains(text, want) {
		b.Errorf("%s does not say %q, but %.600s", b.location(), want, text)
	}
}

func quoted(value any) string {
	q, _ := json.Marshal(value)
	return string(q)
}

// axe is the source of axe-core, from the npm package of that name.
var axe = sync.OnceValues(func() (string, error) {
	for _, directory := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if text, err := os.ReadFile(filepath.Join(directory, "axe-core/axe.min.js")); err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("the npm package axe-core is not in a directory of NODE_PATH")
})

// accessible checks the page with axe-core. It also checks the contrasts in dark colours. There must be no serious
// violation.
func (b *tab) accessible() {
	b.Helper()
	b.audit("axe.run()")
	b.coloured("dark")
	b.audit(`axe.run({ runOnly: ["color-contrast"] })`)
	b.coloured("light")
}

// coloured sets the colour scheme that the browser prefers: "dark" or "light".
func (b *tab) coloured(scheme string) {
	b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// audit evaluates an expression of axe-core, and reports the violations that it returns.
func (b *tab) audit(expression string) {
	b.Helper()
	source, err := axe()
	if err != nil {
		missing(b.T, "%v", err)
	}
	var found []string
	b.run(chromedp.Evaluate(source+"\n;0", nil), chromedp.Evaluate(expression+`.then(r => r.violations.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(" ; ")))`, &found, chromedp.EvalAsValue, awaits))
	for _, f := range found {
		b.Errorf("%s: %s", strings.TrimPrefix(b.location(), b.base), f)
	}
}

// weight returns the size of the page in bytes, including its style and script.
func (b *tab) weight() (bytes int) {
	b.run(chromedp.Evaluate(`performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource").filter(r => /\.(css|js)$/.test(r.name))).reduce((sum, r) => sum + r.decodedBodySize, 0)`, &bytes))
	return bytes
}

// shoot takes screenshots of the page at two widths and in dark colours, and writes them to the directory that
// SIBYL_SCREENSHOTS names.
func (b *tab) shoot(name string) {
	b.Helper()
	directory := os.Getenv("SIBYL_SCREENSHOTS")
	if directory == "" {
		return
	}
	for _, width := range []int64{1200, 400} {
		var picture []byte
		b.run(page.BringToFront(), chromedp.EmulateViewport(width, 900), chromedp.FullScreenshot(&picture, 100))
		if err := os.WriteFile(filepath.Join(directory, fmt.Sprintf("%s-%d.png", name, width)), picture, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.run(chromedp.EmulateViewport(1200, 900))
	b.coloured("dark")
	var picture []byte
	b.run(chromedp.FullScreenshot(&picture, 100))
	if err := os.WriteFile(filepath.Join(directory, name+"-dark.png"), picture, 0o644); err != nil {
		b.Fatal(err)
	}
	b.coloured("light")
}

// look checks those properties of the page that do not depend on its content.
func (b *tab) look(name string) {
	b.Helper()
	b.accessible()
	if weight := b.weight(); weight > 200_000 || weight < 1000 {
		b.Errorf("the page %s has %d bytes", name, weight)
	} else {
		b.Logf("%-16s %6d bytes", name, weight)
	}
	var wide bool
	b.run(chromedp.EmulateViewport(400, 900), chromedp.Evaluate(`document.documentElement.scrollWidth > 400`, &wide), chromedp.EmulateViewport(1200, 900))
	if wide {
		b.Errorf("the page %s is wider than a narrow screen", name)
	}
	b.shoot(name)
}
