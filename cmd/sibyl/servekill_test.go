//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// A served is a running sibyl serve, with an HTTP client that is signed in.
type served struct {
	t           *testing.T
	cmd         *exec.Cmd
	client      *http.Client
	origin      string
	base        string
	csrf        string
	entry, said string
}

// startServe starts sibyl serve in a directory and signs in.
func startServe(t *testing.T, directory string) *served {
	t.Helper()
	s := &served{t: t, cmd: exec.Command("sibyl", "serve", "--no-browser", "--directory", directory)}
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if s.said, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s.origin = regexp.MustCompile(`http://[0-9.:]+`).FindString(s.said)
	s.entry = regexp.MustCompile(`/\S*/sign-in.html`).FindString(s.said)
	page, err := os.ReadFile(s.entry)
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(string(page))[1]
	answer := s.post("/enter", "", url.Values{"key": {key}})
	cookie := answer.Cookies()[0]
	s.base = cookie.Path
	s.client.Transport = withCookie(cookie.Name + "=" + cookie.Value)
	s.csrf = regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(s.get("data"))[1]
	return s
}

// withCookie is a transport that adds a cookie.
type withCookie string

func (c withCookie) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Cookie", string(c))
	return http.DefaultTransport.RoundTrip(r)
}

func (s *served) get(page string) string {
	s.t.Helper()
	answer, err := s.client.Get(s.origin + s.base + page)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return string(body)
}

// post sends a form. It adds the token of the session, if there is a session.
func (s *served) post(path, page string, form url.Values) *http.Response {
	s.t.Helper()
	if page != "" {
		path = s.base + page
		form.Set("csrf", s.csrf)
	}
	r, err := http.NewRequest(http.MethodPost, s.origin+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.origin)
	answer, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode >= 400 {
		s.t.Fatalf("%s: %d %s", page, answer.StatusCode, body)
	}
	return answer
}

// start starts the release of a model to the named file.
func (s *served) start(file string) {
	s.t.Helper()
	s.post("", "data", url.Values{"location": {"hospital.csv"}})
	confirm := s.post("", "review", url.Values{
		"what": {"model"}, "class": {"conjunction"}, "data": {"hospital.csv"}, "schema": {"hospital.toml"}, "ledger": {"a.db"},
		"epsilon": {"0.001"}, "delta": {"0"}, "rows": {"2000"}, "pad": {""}, "file": {file},
	}).Header.Get("Location")
	_, ticket, _ := strings.Cut(confirm, "ticket=")
	s.post("", "start", url.Values{"ticket": {ticket}})
}

// releaseTime makes a release that is not interrupted, and returns how long it takes approximately.
func releaseTime(t *testing.T, directory string) time.Duration {
	t.Helper()
	s := startServe(t, directory)
	s.start("m.json")
	start := time.Now()
	for {
		if _, err := os.Stat(filepath.Join(directory, "m.json")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	whole := time.Since(start)
	s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(directory, "m.json"))
	return whole
}

// TestServeKilled kills a server at random times during its releases. Afterwards the ledger must be valid, each
// published file must be complete, each settled entry must have its file, and a new server must work.
func TestServeKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts several servers")
	}
	directory := t.TempDir()
	for _, name := range []string{"hospital.csv", "hospital.toml"} {
		text, err := sample.ReadFile("sample/" + name)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(directory, name), string(text))
	}
	ledger := filepath.Join(directory, "a.db")
	sibyl(t, "account", "open", "--account", ledger, "--epsilon", "10", "--of", "people")
	kills := heavy.Pick(5, 200)
	published := 0
	whole := releaseTime(t, directory)
	for i := range kills {
		s := startServe(t, directory)
		file := filepath.Join(directory, "m.json")
		s.start("m.json")
		time.Sleep(time.Duration(rand.Float64() * 1.5 * float64(whole)))
		signal := []os.Signal{syscall.SIGKILL, syscall.SIGTERM}[i%2]
		s.cmd.Process.Signal(signal)
		s.cmd.Wait()
		if _, err := os.Stat(s.entry); err == nil && signal != syscall.SIGKILL {
			t.Errorf("the file with the key is left after %v", signal)
		}
		os.RemoveAll(filepath.Dir(s.entry))
		a, err := account.Open(context.Background(), ledger)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Verify(context.Background(), release.Recompute); err != nil {
			t.Fatal(err)
		}
		statement, err := a.Statement(context.Background())
		a.Close()
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err == nil {
			published++
			wholeModel(t, text)
			if len(statement.Entries) == 0 {
				t.Error("a model is published, and the ledger has no entry")
			}
		}
		settled := 0
		for _, e := range statement.Entries {
			if e.SHA256 != "" {
				settled++
			}
		}
		if settled > published+1 { // 1 for the first release, which was not killed
			t.Errorf("%d entries are settled, %d files were published", settled, published)
		}
		os.Remove(file)
		for _, name := range listed(t, directory) {
			// SIGKILL may leave a temporary file, and the journal of SQLite, which the next writer removes.
			if (strings.HasPrefix(name, ".m.json.") || name == "a.db-journal") && signal == syscall.SIGKILL {
				os.Remove(filepath.Join(directory, name))
			}
		}
		if n := len(listed(t, directory)); n != 3 {
			t.Errorf("after %v these files are left: %v", signal, listed(t, directory))
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d servers were killed; %d had published their model", kills, published)
}
