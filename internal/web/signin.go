package web

import (
	"net/http"
	"time"
)

const cookieName = "sibyl"

var (
	signIn = map[string]func(*request) error{http.MethodGet: showSignIn}
	enter  = map[string]func(*request) error{http.MethodPost: useKey}
)

// showSignIn shows the form in which the user enters the key of the server. The page does not reveal whether somebody
// has signed in already.
func showSignIn(q *request) error {
	if len(q.form) > 0 {
		return refuse(http.StatusBadRequest, "The address is not one of this server.")
	}
	return q.render("signin", page{Title: "Sign in"})
}

// useKey checks the key and begins a session. It answers with a page that leads to the first page of the session
// instead of a redirection. Browsers send a strict cookie only if the request comes from a page of the same site, but
// a redirected request would come from the file with the key, which belongs to another site.
func useKey(q *request) error {
	if len(q.form) != 1 || !q.entry.use(q.form.Get("key")) {
		return refuse(http.StatusForbidden, "This key is not valid, or it was used before. Open the file that sibyl serve named once more: it has a new key.")
	}
	now := newSession()
	q.mutex.Lock()
	q.Server.session, q.last = now, time.Now()
	q.mutex.Unlock()
	http.SetCookie(q.w, &http.Cookie{Name: cookieName, Value: now.cookie, Path: now.base, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return q.render("welcome", page{Title: "Welcome", Base: now.base})
}

// current returns the session, or nil if nobody has signed in yet.
func (s *Server) current() *session {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.session
}

// used records the time of the last request, after which the idle time of the server is counted.
func (s *Server) used() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = time.Now()
}
