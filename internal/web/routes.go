package web

import "net/http"

// A route is a path of the server, relative to the base of the session, with its handlers.
type route struct {
	path      string
	get, post func(*request) error // nil where the page does not support the method
}

func (of route) methods() map[string]func(*request) error {
	return map[string]func(*request) error{http.MethodGet: of.get, http.MethodPost: of.post}
}

// routes lists all paths that need a session. Requests with the method GET do not change
// anything on the server.
var routes []route

func init() {
	routes = []route{
		{"data", showData, nameData},
		{"schema", showSchemas, nil},
		{"schema-new", nil, makeSchema},
		{"schema-use", nil, useSchema},
		{"schema-edit", editSchema, nil},
		{"schema-form", nil, saveForm},
		{"schema-text", nil, saveText},
		{"schema-check", nil, checkText},
		{"profile", showProfile, reviewProfile},
		{"check", nil, startCheck},
		{"budget", showBudget, nil},
		{"ledger-open", nil, openLedger},
		{"ledger-use", nil, useLedger},
		{"ledger-verify", nil, verifyLedger},
		{"plan", showPlan, nil},
		{"example", showExample, nil},
		{"release", showRelease, nil},
		{"review", nil, review},
		{"confirm", showConfirm, nil},
		{"start", nil, startRelease},
		{"job", showJob, nil},
		{"job-state", jobState, nil},
		{"cancel", nil, cancelJob},
		{"results", showResults, nil},
		{"result", showResult, nil},
		{"page", showModelPage, nil},
		{"export", exportModel, nil},
		{"file", sendFile, nil},
		{"draw", nil, drawRows},
	}
}
