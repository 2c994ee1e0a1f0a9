package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/release"
)

// These constants limit the size of accepted HTTP requests.
const (
	mostTarget = 2 << 10 // bytes of a path with its query
	mostBody   = 1 << 20 // bytes of a form
	mostFields = 20_000
)

// policy is the Content-Security-Policy of all pages. It allows scripts and styles only from this server, and forbids
// frames and requests to other servers.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A refusal is the error of a refused HTTP request, with the status code of the answer.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func refuse(status int, text string) error { return refusal{status, text} }

// A request is an HTTP request that has passed all checks of the server, with its parsed form.
type request struct {
	*Server
	*session // nil before the sign-in
	w        http.ResponseWriter
	r        *http.Request
	form     url.Values // the parameters of the query, or of the body of a POST
}

// ServeHTTP answers a request. If the handler panics, the answer is a fixed sentence.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if recover() != nil {
			s.apologize(w, refusal{http.StatusInternalServerError, release.ErrDefect.Error()})
		}
	}()
	head := w.Header()
	for name, value := range map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      policy,
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
		"Referrer-Policy":              "same-origin", // without a referrer, browsers send Origin: null
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
	} {
		head.Set(name, value)
	}
	if err := s.answer(w, r); err != nil {
		s.apologize(w, err)
	}
}

// answer checks an HTTP request, and calls the handler for the path of the request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	if err := s.admit(r); err != nil {
		return err
	}
	q := &request{Server: s, w: w, r: r}
	path := r.URL.Path
	if file, public := files[path]; public {
		return file.send(q)
	}
	var handle func(*request) error
	switch now := s.current(); {
	case path == "/":
		handle = signIn[r.Method]
	case path == "/enter":
		handle = enter[r.Method]
	case now == nil || !under(path, now.base):
		return refuse(http.StatusNotFound, "This server has no such page. If you signed in again, use the address of the new pages.")
	default:
		if !now.holds(r) {
			return refuse(http.StatusForbidden, "This page is for the person who started the server. Open the file that sibyl serve named.")
		}
		known := false
		for _, of := range routes {
			if known = of.path == path[len(now.base):]; known {
				handle, q.session = of.methods()[r.Method], now
				break
			}
		}
		if !known {
			return refuse(http.StatusNotFound, "This server has no such page.")
		}
	}
	if handle == nil {
		return refuse(http.StatusMethodNotAllowed, "This page does not support this kind of request.")
	}
	var err error
	if q.form, err = readForm(w, r); err != nil {
		return err
	}
	if q.session != nil {
		if r.Method == http.MethodPost && !same(q.form.Get("csrf"), q.session.csrf) {
			return refuse(http.StatusForbidden, "This form belongs to another session. Open the page again, and send it once more.")
		}
		s.used()
	}
	return handle(q)
}

// under reports whether a path begins with the base of the session. It compares them in constant time.
func under(path, base string) bool {
	return len(path) >= len(base) && same(path[:len(base)], base)
}

// holds reports whether the HTTP request has exactly one session cookie, with the correct value.
func (now *session) holds(r *http.Request) bool {
	found := 0
	for _, c := range r.Cookies() {
		if c.Name == cookieName {
			if found++; !same(c.Value, now.cookie) {
				return false
			}
		}
	}
	return found == 1
}

// admit returns an error for requests that do not come from a page of this server. It makes the same checks for every
// path.
func (s *Server) admit(r *http.Request) error {
	post := r.Method == http.MethodPost
	switch {
	case !post && r.Method != http.MethodGet:
		return refuse(http.StatusMethodNotAllowed, "This page does not support this kind of request.")
	case !slices.Contains(s.hosts, r.Host):
		return refuse(http.StatusMisdirectedRequest, "This server answers only at its own address on this machine.")
	case len(r.RequestURI) > mostTarget:
		return refuse(http.StatusRequestURITooLong, "The address is too long.")
	case !strings.HasPrefix(r.RequestURI, "/"), r.URL.EscapedPath() != r.URL.Path, strings.ContainsAny(r.URL.Path, `\%`), strings.Contains(r.URL.Path, "//"), strings.Contains(r.URL.Path, "/."):
		return refuse(http.StatusBadRequest, "The address is not one of this server.")
	case r.Header.Get("Upgrade") != "", r.Header.Get("Expect") != "":
		return refuse(http.StatusBadRequest, "This server does not support this kind of connection.")
	}
	entering := post && r.URL.Path == "/enter" // the page that sends this request is a file on this machine
	if !entering && !isOne(r.Header.Values("Sec-Fetch-Site"), "", "same-origin", "none") {
		return refuse(http.StatusForbidden, "This request comes from another page.")
	}
	origin := r.Header.Values("Origin")
	own := "http://" + r.Host
	switch {
	case post && !entering && !isOne(origin, own),
		entering && !isOne(origin, own, "null"),
		!post && !isOne(origin, "", own):
		return refuse(http.StatusForbidden, "This request comes from another page.")
	}
	return nil
}

// isOne reports whether a header occurs exactly once, with one of the accepted values. If "" is an accepted value,
// the header may also be missing.
func isOne(values []string, accepted ...string) bool {
	switch len(values) {
	case 0:
		return slices.Contains(accepted, "")
	case 1:
		return values[0] != "" && slices.Contains(accepted, values[0])
	}
	return false
}

// readForm reads the parameters in the query of a GET request or in the body of a POST request. It returns an error
// if a name occurs twice, unless the name ends in "[]", which denotes a list.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	text := r.URL.RawQuery
	if r.Method == http.MethodGet && (r.ContentLength != 0 || r.TransferEncoding != nil) {
		return nil, refuse(http.StatusBadRequest, "This request has a body, which this page does not read.")
	}
	if r.Method == http.MethodPost {
		media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		charset := strings.ToLower(parameters["charset"])
		switch {
		case text != "" || r.URL.ForceQuery:
			return nil, refuse(http.StatusBadRequest, "The address of a form has no query.")
		case err != nil || media != "application/x-www-form-urlencoded" || len(r.Header.Values("Content-Type")) != 1 || charset != "" && charset != "utf-8", r.Header.Get("Content-Encoding") != "":
			return nil, refuse(http.StatusUnsupportedMediaType, "The form is not encoded as the pages of this server encode it.")
		case r.ContentLength < 0 || r.TransferEncoding != nil:
			return nil, refuse(http.StatusLengthRequired, "The request does not state its length.")
		case r.ContentLength > mostBody:
			return nil, refuse(http.StatusRequestEntityTooLarge, "The form is too long.")
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "The form ended early.")
		}
		text = string(body)
	}
	if strings.Count(text, "&") >= mostFields {
		return nil, refuse(http.StatusRequestEntityTooLarge, "The form has too many fields.")
	}
	form, err := url.ParseQuery(text)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "The form is not encoded as the pages of this server encode it.")
	}
	for name, values := range form {
		if !proper(name) || !proper(strings.Join(values, "")) {
			return nil, refuse(http.StatusBadRequest, "The form has characters that are not text.")
		}
		if len(values) > 1 && !strings.HasSuffix(name, "[]") {
			return nil, refuse(http.StatusBadRequest, "The form has a field twice.")
		}
	}
	return form, nil
}

// proper reports whether a text is valid UTF-8 without control characters other than line ends and tabs.
func proper(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// apologize answers a failed request with a page. If err is a refusal, the page contains its text. Otherwise the page
// contains a fixed sentence, because the text of other errors may contain private data.
func (s *Server) apologize(w http.ResponseWriter, err error) {
	known := refusal{http.StatusInternalServerError, release.ErrDefect.Error()}
	errors.As(err, &known)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(known.status)
	refusalPage().Execute(w, known.text)
}
