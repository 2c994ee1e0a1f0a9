// Package tabulated turns the table of all costs of a class into a search tree whose bounds are
// exact: the bound of a node is the least cost below it. Branch and bound ends at the root, because
// the incumbent is a best hypothesis. Sampling from the exponential mechanism visits only blocks
// that may contain the sample.
//
// Hypothesis i of the table is leaf i. The nodes of level k are the aligned blocks of 2^k leaves;
// the last block of a level may be shorter. The class determines the order of the table, so the
// tree is the same for all problems and its plan is empty.
//
// Letters:
//
//	N  the number of hypotheses
//	k  the level of a node: 0 for leaves; a block of level k spans 2^k indices
package tabulated
