package main

import (
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// guaranteed holds the guarantee of a release, as a part of JSON outputs. If an earlier release completed the schema
// from private data (sibyl schema profile), it also holds the guarantee of both releases together.
type guaranteed struct {
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`

	Total           *privacy.Statement `json:"total_guarantee,omitempty"`
	TotalNotPrivate bool               `json:"total_not_private,omitempty"` // whether the completion of the schema has no guarantee
}

// guaranteeOf returns the guarantee of a release for JSON outputs. If the release has no guarantee, g is nil and
// void is the reason. The schema s of the data may be nil.
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
