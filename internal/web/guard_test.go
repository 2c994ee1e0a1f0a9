package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// A client is a client of a running server. It writes requests to plain connections, so that a test can send
// requests that no HTTP library sends.
type client struct {
	t         *testing.T
	directory string
	address   string // host:port
	base      string
	cookie    string
	csrf      string
	entry     string // the path of the file with the key
	said      string // the output of the server
}

// run starts a server in a directory with the files of the demonstration, and signs in.
func run(t *testing.T) *client {
	t.Helper()
	c := &client{t: t, directory: t.TempDir()}
	for _, name := range []string{"hospital.csv", "hospital.toml"} {
		text, err := os.ReadFile(filepath.Join("../../cmd/sibyl/sample", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.directory, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.start()
	c.signIn()
	return c
}

func (c *client) start() {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var group parallel.Group
	ended := make(chan error, 1)
	group.Go(func() {
		err := Serve(ctx, Options{Listen: "127.0.0.1:0", Directory: c.directory, Idle: UsualIdle, Out: in})
		in.CloseWithError(err)
		ended <- err
	})
	c.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != context.Canceled {
			c.t.Errorf("the server ends with %v", err)
		}
		group.Wait()
		if _, err := os.Stat(filepath.Dir(c.entry)); err == nil {
			c.t.Error("the file with the key is left")
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	c.said = line
	group.Go(func() { io.Copy(io.Discard, out) })
	c.address = regexp.MustCompile(`http://([0-9.:]+)/`).FindStringSubmatch(line)[1]
	c.entry = regexp.MustCompile(`/\S*/sign-in.html`).FindString(line)
}

// key reads the key from the file.
func (c *client) key() string {
	c.t.Helper()
	text, err := os.ReadFile(c.entry)
	if err != nil {
		c.t.Fatal(err)
	}
	return regexp.MustCompile(`name="key" value="([^"]+)"`).FindStringSubmatch(string(text))[1]
}

func (c *client) signIn() {
	c.t.Helper()
	a := c.send(c.postTo("/enter", "key="+c.key(), "Origin: null", "Sec-Fetch-Site: cross-site"))
	if a.status != http.StatusOK {
		c.t.Fatalf("the key is refused: %d %s", a.status, a.body)
	}
	c.cookie = regexp.MustCompile(`^sibyl=[^;]+`).FindString(a.header.Get("Set-Cookie"))
	c.base = regexp.MustCompile(`Path=([^;]+)`).FindStringSubmatch(a.header.Get("Set-Cookie"))[1]
	page := c.send(c.get("data"))
	c.csrf = regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page.body)[1]
}

// get returns the text of a valid request for a page.
func (c *client) get(page string) string {
	return "GET " + c.base + page + " HTTP/1.1\r\nHost: " + c.address + "\r\nCookie: " + c.cookie + "\r\nSec-Fetch-Site: same-origin\r\n\r\n"
}

// post returns the text of a valid request that sends a form.
func (c *client) post(page, form string) string {
	return c.postTo(c.base+page, form+"&csrf="+c.csrf, "Origin: http://"+c.address, "Sec-Fetch-Site: same-origin", "Cookie: "+c.cookie)
}

func (c *client) postTo(path, body string, headers ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n%s\r\n\r\n%s", path, c.address, len(body), strings.Join(headers, "\r\n"), body)
}

// An answer is the response to a request.
type answer struct {
	status int // 0 if the connection was closed without an answer
	header http.Header
	body   string
}

// send sends the text of a request.
func (c *client) send(text string) (a answer) {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Minute))
	var group parallel.Group
	defer group.Wait()
	group.Go(func() { io.WriteString(conn, text) }) // the server may answer before it has read all
	r, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: text[:strings.IndexByte(text+" ", ' ')]})
	if err != nil {
		return a
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	conn.Close()
	return answer{r.StatusCode, r.Header, string(body)}
}

// state describes all files in the directory, with their contents.
func (c *client) state() string {
	c.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(c.directory, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %x\n", path, text)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return b.String()
}

// changed returns the text of a request in which by replaces old. The text must contain old.
func (c *client) changed(request, old, by string) string {
	c.t.Helper()
	if !strings.Contains(request, old) {
		c.t.Fatalf("%q is not in %q", old, request)
	}
	return strings.Replace(request, old, by, 1)
}

// A wrong is a request that must be refused.
type wrong struct {
	at      string
	request string
}

// wrongRequests returns requests that differ from a valid one in one respect. Some differences, such as a wrong
// cookie, are tried on every page.
func wrongRequests(c *client) (all []wrong) {
	add := func(at, request string) { all = append(all, wrong{at, request}) }
	get, form := c.get("data"), "location=hospital.csv"
	post := c.post("data", form)
	host, cookie, origin := "Host: "+c.address+"\r\n", "Cookie: "+c.cookie+"\r\n", "Origin: http://"+c.address+"\r\n"
	_, port, _ := net.SplitHostPort(c.address)
	other := strings.Repeat("A", len(c.cookie)-len("sibyl="))

	for _, of := range routes {
		right := c.get(of.path)
		if of.get == nil {
			add("GET of a form "+of.path, right)
			right = c.post(of.path, "a=b")
		}
		add("no cookie: "+of.path, strings.Replace(right, "Cookie: "+c.cookie, "X: y", 1))
		add("wrong cookie: "+of.path, c.changed(right, c.cookie, "sibyl="+other))
		add("foreign host: "+of.path, c.changed(right, host, "Host: evil.example\r\n"))
		add("from another site: "+of.path, c.changed(right, "same-origin", "cross-site"))
		add("wrong base: "+of.path, c.changed(right, c.base, "/"+other+"/"))
		if of.post != nil {
			of := c.post(of.path, "a=b")
			add("no token: "+right, c.changed(of, "csrf=", "crsf="))
			add("foreign origin: "+right, c.changed(of, origin, "Origin: http://evil.example\r\n"))
		}
	}
	for _, name := range []string{"evil.example", "evil.example:" + port, "127.0.0.1", "127.0.0.1:1", "127.0.0.2:" + port, "localhost", "localhost.:" + port, "LOCALHOST:" + port, "0.0.0.0:" + port, "[::1]:" + port, "127.1:" + port, "2130706433:" + port, "0x7f000001:" + port, "127.0.0.1:0" + port, "user@" + c.address, c.address + ".evil.example", "", "evil.example," + c.address, "*"} {
		add("host "+name, c.changed(get, host, "Host: "+name+"\r\n"))
		add("host of a form "+name, c.changed(post, host, "Host: "+name+"\r\n"))
	}
	add("no host", c.changed(get, host, ""))
	add("two hosts", c.changed(get, host, host+"Host: evil.example\r\n"))
	add("forwarded host", c.changed(c.changed(get, host, "Host: evil.example\r\nX-Forwarded-Host: "+c.address+"\r\n"), "same-origin", "none"))
	for _, name := range []string{"null", "http://evil.example", "https://" + c.address, "http://127.0.0.1", "http://localhost:" + port, "http://127.0.0.1:1", "http://" + c.address + "/", "http://" + c.address + ".evil.example", "HTTP://" + c.address, "file://", "", "http://" + c.address + " http://evil.example"} {
		add("origin "+name, c.changed(post, origin, "Origin: "+name+"\r\n"))
		if name != "" {
			add("origin of a page "+name, c.changed(get, host, host+"Origin: "+name+"\r\n"))
		}
	}
	add("no origin", c.changed(post, origin, ""))
	add("two origins", c.changed(post, origin, origin+"Origin: http://evil.example\r\n"))
	add("an origin twice", c.changed(post, origin, origin+origin))
	for _, site := range []string{"cross-site", "same-site", "", "SAME-ORIGIN", "same-origin, cross-site"} {
		add("site "+site, c.changed(get, "same-origin", site))
		add("site of a form "+site, c.changed(post, "same-origin", site))
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "PROPFIND", "QUERY", "GETS"} {
		add("method "+method, c.changed(get, "GET", method))
	}
	add("override", c.changed(c.changed(get, "GET", "PUT"), host, host+"X-HTTP-Method-Override: GET\r\n"))
	for _, value := range []string{"", "sibyl=", "sibyl", "other=" + other, c.cookie + "x", c.cookie[:len(c.cookie)-1], strings.ToUpper(c.cookie), c.cookie + "; sibyl=" + other, c.cookie + "; " + c.cookie, "sibyl=" + c.csrf, "sibyl=%00", "SIBYL" + c.cookie[5:]} {
		add("cookie "+value, c.changed(get, cookie, "Cookie: "+value+"\r\n"))
		add("cookie of a form "+value, c.changed(post, "Cookie: "+c.cookie, "Cookie: "+value))
	}
	for _, value := range []string{"", c.csrf + "x", c.csrf[1:], other, strings.TrimPrefix(c.cookie, "sibyl="), "%00", "%FF"} {
		add("token "+value, c.postTo(c.base+"data", form+"&csrf="+value, strings.TrimSpace(origin), "Cookie: "+c.cookie))
	}
	add("token twice", c.post("data", form+"&csrf="+c.csrf))
	add("token in the query", c.postTo(c.base+"data?csrf="+c.csrf, form, strings.TrimSpace(origin), "Cookie: "+c.cookie))
	add("token in a header", c.postTo(c.base+"data", form, strings.TrimSpace(origin), "Cookie: "+c.cookie, "X-CSRF-Token: "+c.csrf))
	for _, path := range []string{"", "/", "x", "data/", "data/x", "DATA", "Data", "./data", "../data", "x/../data", "%64ata", "data%00", "data%2f", `..\data`, "..%2f..%2fetc%2fpasswd", "../../../../etc/passwd", "data;x", "/data", "style.css", "%2e%2e/", "%252e%252e/", "data\u202e", "favicon.ico", "debug/pprof/", ".git/config", "hospital.csv", "hospital.toml", "sign-in.html"} {
		add("path "+path, c.changed(get, c.base+"data", c.base+path))
	}
	for _, path := range []string{"/data", "/enter", "/hospital.csv", "/files/style.css", "/pages/data.html", "//style.css", "/style.css/", "/style.css?x", "/../etc/passwd", "/%2e%2e/etc/passwd", "*", "http://" + c.address + c.base + "data", "http://evil.example/", strings.TrimSuffix(c.base, "/"), "//" + c.base[1:] + "data", "/?x=y", "/debug/pprof/", "/robots.txt", "/favicon.ico"} {
		add("path "+path, c.changed(get, c.base+"data", path))
	}
	for _, query := range []string{"?a=%", "?a=%zz", "?a;b", "?a=%ff", "?a=%00", "?a=1&a=2", "?a=%1b%5b31m", "?" + strings.Repeat("a", mostTarget), "?%ff=1"} {
		add("query "+query[:min(len(query), 20)], c.changed(get, "/data", "/data"+query))
	}
	for _, body := range []string{"location=%", "location=%zz", "location=%ff", "location=%00", "location=a;b=c", "location=a&location=b", "location=%1b", "%ff=1", strings.Repeat("a&", mostFields), strings.Repeat("a", mostBody+1)} {
		add("form "+body[:min(len(body), 20)], c.post("data", body))
	}
	for _, media := range []string{"", "text/plain", "application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", "application/x-www-form-urlencoded; charset", "text/html", "application/x-www-form-urlencoded, text/plain", "application/x-www-form-urlencodedx"} {
		add("encoded as "+media, c.changed(post, "application/x-www-form-urlencoded", media))
	}
	add("encoded twice", c.changed(post, host, host+"Content-Encoding: gzip\r\n"))
	add("two types", c.changed(post, host, host+"Content-Type: text/plain\r\n"))
	length := regexp.MustCompile(`Content-Length: \d+\r\n`)
	for _, of := range []string{"", "Content-Length: -1\r\n", "Content-Length: 99999999999999999999\r\n", "Content-Length: 1099511627776\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: x\r\n"} {
		text := length.ReplaceAllString(post, of)
		if strings.Contains(of, "chunked") {
			text = strings.Replace(text, "\r\n\r\n", fmt.Sprintf("\r\n\r\n%x\r\n", len(post)-strings.Index(post, "\r\n\r\n")-4), 1) + "\r\n0\r\n\r\n"
		}
		add("length "+of, text)
	}
	add("a page with a body", c.changed(get, host, host+"Content-Length: 3\r\n")+"a=b")
	add("long header", c.changed(get, host, host+"X: "+strings.Repeat("a", 2*mostHead)+"\r\n"))
	add("many headers", c.changed(get, host, host+strings.Repeat("X: a\r\n", mostHead)))
	add("upgrade", c.changed(get, host, host+"Connection: Upgrade\r\nUpgrade: websocket\r\n"))
	add("expectation", c.changed(post, host, host+"Expect: 100-continue\r\n"))
	add("space in a header", c.changed(get, "Cookie:", "Cookie :"))
	add("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	add("HTTP/0.9", "GET "+c.base+"data\r\n\r\n")
	add("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"+strings.Repeat("\x00", 40)+"\r\n\r\n")
	add("no request", "\r\n\r\n\r\n")
	for _, key := range []string{"", "x", c.csrf, other, c.key() + "x", "%00"} {
		add("key "+key, c.postTo("/enter", "key="+key, strings.TrimSpace(origin)))
	}
	add("key in the query", c.postTo("/enter?key="+c.key(), "", strings.TrimSpace(origin)))
	add("key from another site", c.postTo("/enter", "key="+c.key(), "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"))
	add("key without an origin", c.postTo("/enter", "key="+c.key()))
	add("key at a foreign host", c.changed(c.postTo("/enter", "key="+c.key(), "Origin: null"), host, "Host: evil.example\r\n"))
	add("key by GET", "GET /enter?key="+c.key()+" HTTP/1.1\r\n"+host+"\r\n")
	add("key with more", c.postTo("/enter", "key="+c.key()+"&a=b", "Origin: null"))
	return all
}

// Every wrong request is refused with an error status and a page that reveals nothing, and changes no file. The
// valid requests before and after it are answered.
func TestWrongRequests(t *testing.T) {
	c := run(t)
	before, key := c.state(), c.key()
	all := wrongRequests(c)
	if len(all) < 150 {
		t.Errorf("%d wrong requests are too few", len(all))
	}
	t.Logf("%d wrong requests", len(all))
	for _, w := range all {
		a := c.send(w.request)
		if a.status != 0 && a.status < 400 {
			t.Errorf("%s: the status is %d", w.at, a.status)
		}
		for _, secret := range []string{c.csrf, strings.TrimPrefix(c.cookie, "sibyl="), key, c.directory} {
			if strings.Contains(a.body, secret) || strings.Contains(fmt.Sprint(a.header), secret) {
				t.Errorf("%s: the answer has a secret", w.at)
			}
		}
		if strings.Contains(a.body, "goroutine") {
			t.Errorf("%s: the answer has a stack trace", w.at)
		}
		if a.status >= 400 && a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: the answer sets a cookie", w.at)
		}
	}
	if c.state() != before {
		t.Error("a wrong request changed a file")
	}
	if c.key() != key {
		t.Error("a wrong request used the key")
	}
	for _, right := range []string{c.get("data"), c.post("data", "location=hospital.csv"), strings.Replace(c.get("data"), "same-origin", "none", 1)} {
		if a := c.send(right); a.status != http.StatusOK && a.status != http.StatusSeeOther {
			t.Errorf("a right request has the status %d: %s", a.status, a.body)
		}
	}
}

// A key is valid once, and a new session ends the earlier one.
func TestKeyWorksOnce(t *testing.T) {
	c := run(t)
	key := c.key()
	before := c.get("data")
	c.signIn()
	if a := c.send(c.postTo("/enter", "key="+key, "Origin: null")); a.status != http.StatusForbidden {
		t.Errorf("a used key has the status %d", a.status)
	}
	if a := c.send(before); a.status < 400 {
		t.Errorf("the session before has the status %d", a.status)
	}
	if strings.Contains(c.said, key) || strings.Contains(c.said, c.key()) || strings.Count(c.said, "\n") != 1 {
		t.Errorf("the server prints %q", c.said)
	}
	info, err := os.Stat(c.entry)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the key has the mode %v, %v", info.Mode(), err)
	}
	if directory, err := os.Stat(filepath.Dir(c.entry)); err != nil || directory.Mode().Perm() != 0o700 {
		t.Errorf("its directory has the mode %v, %v", directory.Mode(), err)
	}
}

// Every answer has the headers on which the security of the pages depends.
func TestHeaders(t *testing.T) {
	c := run(t)
	for _, request := range []string{c.get("data"), c.get("nothing"), "GET / HTTP/1.1\r\nHost: " + c.address + "\r\n\r\n", "GET /style.css HTTP/1.1\r\nHost: " + c.address + "\r\n\r\n"} {
		a := c.send(request)
		for name, value := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "Content-Security-Policy": policy} {
			if a.header.Get(name) != value {
				t.Errorf("%.40s: %s is %q", request, name, a.header.Get(name))
			}
		}
	}
	for _, bad := range []string{"unsafe", "http:", "https:", "*", "data:"} {
		if strings.Contains(policy, bad) {
			t.Errorf("the policy has %s", bad)
		}
	}
	cookie := c.send(c.postTo("/enter", "key="+c.key(), "Origin: null")).header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Errorf("the cookie is %s", cookie)
	}
}

// Pages contain no inline scripts and styles, which the policy forbids, and no address of another server.
func TestPagesFollowThePolicy(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)<style|style=|<script(?: [^>]*)?>[^<]|\son[a-z]+=|(?:src|href|action)="(?:https?:)?//`)
	err := fs.WalkDir(pageFiles, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := pageFiles.ReadFile(path)
			if found := foreign.FindString(string(text)); found != "" {
				t.Errorf("%s has %q", path, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Only addresses of this machine are accepted.
func TestListen(t *testing.T) {
	for _, address := range []string{"", ":0", "0.0.0.0:0", "[::]:0", "192.168.1.1:0", "10.0.0.1:80", "8.8.8.8:53", "example.com:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:00", "localhost", "LOCALHOST:0", "127.1:0", "127.0.0.1:http", "[::1]", "[fe80::1]:0", "unix:/x", "a b:1", "127.0.0.1:0:0"} {
		l, err := listen(context.Background(), address)
		if err == nil {
			l.Close()
			t.Errorf("%q is accepted", address)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, "--listen ") || strings.Contains(text, "\n") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "127.0.0.2:0", "localhost:0"} {
		l, err := listen(context.Background(), address)
		if err != nil {
			t.Errorf("%q: %v", address, err)
			continue
		}
		_, err = listen(context.Background(), l.Addr().String())
		if err == nil || !strings.Contains(err.Error(), "another program") {
			t.Errorf("%v twice: %v", l.Addr(), err)
		}
		l.Close()
	}
}

// The server ends when nobody uses it.
func TestIdle(t *testing.T) {
	var out strings.Builder
	err := Serve(context.Background(), Options{Listen: "127.0.0.1:0", Directory: t.TempDir(), Idle: time.Millisecond, Out: &out})
	if err != nil || !strings.Contains(out.String(), "nobody used it") {
		t.Errorf("%v, %q", err, out.String())
	}
}

// If a handler panics, the answer is a fixed sentence.
func TestPanic(t *testing.T) {
	c := run(t)
	before := routes
	routes = append(routes[:len(routes):len(routes)], route{path: "broken", get: func(*request) error { panic("a private value") }})
	defer func() { routes = before }()
	a := c.send(c.get("broken"))
	if a.status != http.StatusInternalServerError || strings.Contains(a.body, "private value") || !strings.Contains(a.body, "defect") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
