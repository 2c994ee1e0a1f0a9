// Package sparse implements the class of scorecards on few attributes. A card has its own points on a set of at most
// K attributes. On all other attributes it has the points of a public card, the base, which is initially 0. The class
// is the disjoint union, over all sets of attributes, of the cards on that set. The search tree of a set is built
// only when a walker enters it (package lazy). A card on more attributes results from several cards that are sampled
// successively, if each sampled card becomes the base of the next one.
//
// If an attribute has many categories, they are merged into groups of adjacent categories. The
// groups are public. Sets whose attributes have too many groups in total are left out. Every
// attribute is in at least one set.
//
// Letters, as in docs/explanation/proofs/sparse.md:
//
//	K  the maximum number of attributes of a set
//	P  the maximum of the absolute points
//	S  a set of attributes
//	t  the total of a record under the base
//	o  the part of t that comes from attributes outside S
//	θ  the threshold
package sparse
