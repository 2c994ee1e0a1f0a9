// Package sparse implements the class of scorecards on few attributes: cards with points of their
// own on at most K attributes, and on all other attributes the points of a public card, the base,
// which is initially 0. The class is the disjoint union, over all sets of attributes, of the cards
// on that set; the search tree of a set is built only when a walker enters it (package lazy).
// Successive draws, each with the previous card as its base, produce a card on more attributes.
//
// The categories of an attribute with many categories are merged into groups of adjacent
// categories, which are public. Sets whose attributes have too many groups in total are left out;
// every attribute is in some set.
//
// Letters, as in docs/explanation/proofs/sparse.md:
//
//	K, P   the maximum number of attributes of a set; points are in -P..P
//	S      a set of attributes
//	t, o   the total of a record under the base, and its part from attributes outside S
//	θ      the threshold
package sparse
