// Package tabulated searches classes whose costs can all be computed at once: it
// lays a tree over the table of them, in which every bound is the least cost
// below. Branch and bound has nothing left to search, and the exponential
// mechanism walks straight to what matters at its rate.
//
// The tree is that of numbers: hypothesis i of the table is leaf i, and the
// nodes of one level are the aligned blocks of 2, 4, 8, … leaves, the last of
// which may be shorter. The order of the table is the class's own, so that the
// tree has no plan.
//
// Letters:
//
//	N  the number of hypotheses
//	k  the level of a node, 0 for leaves; its block spans 2^k numbers
package tabulated
