// Package web is the local server behind sibyl serve: the path from a table to a released model as
// pages in a browser, on one machine.
//
// The server adds no way to a release: it calls the functions of packages schema, release, report,
// export and synthetic that the command calls, and it stores schemas, ledgers, models and rows as
// ordinary files of one directory. guard.go refuses all requests that do not come from the pages
// of this server, in the browser of the person who started it
// (docs/explanation/local-server.md).
package web
