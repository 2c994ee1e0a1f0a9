// Package sparse is the class of scorecards that change a few attributes of a card: those that
// have points of their own on at most K attributes, whichever these are, and on the others the
// points of a public card, the base, which is all 0 at first. A card is drawn attributes first:
// the class is the disjoint union over all sets of so many attributes, each laid out only where a
// walk goes into it (package lazy). Draws one after the other, each with the card before it as its
// base, make a card of more attributes.
//
// Attributes with many categories are read in groups of neighbours, which are public, and sets of
// attributes with too many groups together are left out; every attribute is in some set.
//
// Letters, after docs/explanation/proofs/sparse.md:
//
//	K, P   the greatest number of attributes of a set; points are in -P..P
//	S      a set of attributes
//	t, o   the total of a record under the base, and what is left of it outside S
//	θ      the threshold
package sparse
