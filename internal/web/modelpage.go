package web

import (
	"bytes"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// modelPolicy is the policy of the page of a model. Names in it come from schemas, so it is a
// sandbox without an origin: even a script could make no request.
func modelPolicy() string {
	return "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// writeModelPage writes the page of a model.
func writeModelPage(b *bytes.Buffer, m *model.Model) error {
	sheet := m.Sheet()
	return sheet.WriteHTML(b, report.Guarantee(sheet.Thing(), m.Guarantee, m.Void.Text(), m.Schema))
}
