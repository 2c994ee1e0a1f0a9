// Package tabulated builds a search tree from the table of all costs of a class. Its bounds are
// exact: the bound of a node is the least cost below it. Branch and bound ends at the root, because
// the incumbent is a best hypothesis. Sampling from the exponential mechanism visits only blocks
// that may contain the sample.
//
// Hypothesis i of the table is leaf i. A node of level k is a block of 2^k consecutive leaves; the
// last block of a level may be shorter. The tree depends only on the order of the table, which the
// class determines. So it is the same for all problems, and its plan is empty.
//
// Letters:
//
//	N  the number of hypotheses
//	k  the level of a node: 0 for leaves; a block of level k spans 2^k indices
package tabulated
