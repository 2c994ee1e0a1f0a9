package web

import (
	"bytes"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/report"
)

// modelPolicy is the policy of the page of a model. Names in it come from schemas, so it is a
// sandbox without an origin, whose only script is the calculator: it could make no request.
func modelPolicy() string {
	return "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src " + report.ScriptHash() + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// writeModelPage writes the page of a model.
func writeModelPage(b *bytes.Buffer, m *model.Model) error {
	return m.Sheet().WriteHTML(b, m.Guarantee, m.Void.Text(), report.Imprint{})
}
