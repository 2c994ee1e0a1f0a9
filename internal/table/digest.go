package table

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Digest returns a hash that identifies how the schema codes and weights rows. It is the SHA-256, in hexadecimal, of
// the JSON form of the attributes, the label and the person. It does not depend on the format of the source, on the
// values and rules for synthetic rows, or on the profiles.
func (s *Schema) Digest() string {
	domain := s.clone()
	domain.Name, domain.File, domain.Rules, domain.Profiles = "", File{Delimiter: ',', Decimal: '.'}, nil, nil
	if domain.Label != nil {
		domain.Label.Spelling, domain.Label.Writing = domain.Label.Spelling.coding(), Writing{}
	}
	for j := range domain.Attributes {
		a := &domain.Attributes[j]
		spelling := Spelling{}
		if len(a.Cuts) > 0 {
			spelling = a.Spelling.coding()
		}
		if a.IsDate() {
			spelling = Spelling{}
			for _, days := range a.missingDays() {
				spelling.Missing = append(spelling.Missing, isoDate(days))
			}
		}
		a.Ordered, a.Spelling, a.Writing = nil, spelling, Writing{}
	}
	text, err := domain.MarshalJSON()
	if err != nil {
		panic(err) // cannot happen for a well-formed schema
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// coding returns a Spelling with only the settings that affect category codes in every kind of source: the numbers
// that mean a missing value, in increasing order.
func (s *Spelling) coding() (coding Spelling) {
	numbers := s.missing()
	slices.SortFunc(numbers, func(a, b Decimal) int { return a.Rat().Cmp(b.Rat()) })
	for _, d := range slices.Compact(numbers) {
		coding.Missing = append(coding.Missing, string(d))
	}
	return coding
}

// Project returns a copy of the schema that has only the attributes with the given indices, and no rules.
func (s *Schema) Project(attributes []int) *Schema {
	sub := *s
	sub.Attributes, sub.Rules = nil, nil
	for _, j := range attributes {
		sub.Attributes = append(sub.Attributes, s.Attributes[j])
	}
	return &sub
}
