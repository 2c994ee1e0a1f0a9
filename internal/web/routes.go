package web

import "net/http"

// A route is a page below the base of the session.
type route struct {
	path      string
	get, post func(*request) error // nil where the page does not support the method
}

func (of route) methods() map[string]func(*request) error {
	return map[string]func(*request) error{http.MethodGet: of.get, http.MethodPost: of.post}
}

// routes lists all pages that need a session.
var routes []route

func init() {
	routes = []route{
		{"data", showData, nameData},
	}
}
