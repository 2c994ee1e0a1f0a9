package main

import (
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// guaranteed holds the guarantee of a release in JSON output. If the schema of the data was completed from private data
// (schema profile), it also holds the guarantee of both releases together.
type guaranteed struct {
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`

	Total           *privacy.Statement `json:"total_guarantee,omitempty"`
	TotalNotPrivate bool               `json:"total_not_private,omitempty"` // whether the completion of the schema has no guarantee
}

// guaranteeOf returns the guarantee g, or the reason why there is none, for a release with the schema, which may be nil.
func guaranteeOf(g *privacy.Statement, void model.Void, s *table.Schema) guaranteed {
	out := guaranteed{Guarantee: g, NotPrivate: void}
	if g != nil {
		total, private := profiles.Total(g, s)
		if out.TotalNotPrivate = !private; private {
			out.Total = total
		}
	}
	return out
}
