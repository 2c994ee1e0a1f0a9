package table

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest identifies what decides into which cells the rows of a source fall, and with what
// weight: attributes, label and person. It is SHA-256, in hexadecimal, of their JSON form. How
// the source is written and what is written of synthetic rows have no part in it.
func (s *Schema) Digest() string {
	domain := s.clone()
	domain.Name, domain.File, domain.Rules = "", File{Delimiter: ',', Decimal: '.'}, nil
	if domain.Label != nil {
		domain.Label.Writing = Writing{}
	}
	for j := range domain.Attributes {
		a := &domain.Attributes[j]
		a.Ordered, a.Writing = nil, Writing{}
	}
	text, err := domain.MarshalJSON()
	if err != nil {
		panic(err) // of a well-formed schema
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Project returns the schema of the sub-table of these attributes, given by their places.
// Synthetic data keeps no rules in it.
func (s *Schema) Project(attributes []int) *Schema {
	sub := *s
	sub.Attributes, sub.Rules = nil, nil
	for _, j := range attributes {
		sub.Attributes = append(sub.Attributes, s.Attributes[j])
	}
	return &sub
}
