// Package web implements sibyl serve, a local server whose pages lead from a table to a released model. The browser
// and the server run on the same machine.
//
// The server makes releases as the command does: it calls the same functions of packages schema, release, report,
// export and synthetic. It stores schemas, ledgers, models and rows as ordinary files in one directory. The code in
// guard.go refuses all requests that do not come from pages of this server in the browser of the user who started it
// (docs/explanation/local-server.md).
package web
