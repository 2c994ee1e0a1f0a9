// Package lazy provides a search tree of a disjoint union of many parts. It builds the tree of a
// part only when a walker enters the part. Before that, it knows only the exact size of the part
// and a lower bound on its costs, which the caller computes, for example from marginals. So a union
// may have thousands of parts, and a search builds the trees of only those parts that may contain
// the result.
//
// Each part has two nodes above its own nodes. The root of the union has a child for each part. The
// only child of this node is the root of the part's own tree. A walker can enter the first of these
// nodes when only the bound of the part is known; the part's tree is built when it enters the
// second. So a search can prune a part, or include it in a sample, without building its tree.
//
// Package union joins a few classes into a class. Package lazy provides only trees and checkers,
// for classes that can build their parts on demand.
package lazy
