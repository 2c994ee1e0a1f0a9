package web

import (
	"bytes"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// modelPolicy returns the Content-Security-Policy of the page of a released model. The page contains names from
// schemas, which may be malicious. So the page is a sandbox without an origin: its only script is the calculator, and
// it can make no requests.
func modelPolicy() string {
	return "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src " + report.ScriptHash() + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// writeModelPage writes the HTML page of a released model.
func writeModelPage(b *bytes.Buffer, m *model.Model) error {
	return m.Sheet().WriteHTML(b, m.Guarantee, m.Void.Text(), report.Imprint{})
}
