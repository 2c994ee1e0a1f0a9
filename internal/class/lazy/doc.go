// Package lazy provides a search tree of a disjoint union of many parts. It builds the tree of a part only when a
// walker enters that tree. Before that, it knows only the exact size of the part and a lower bound on its costs,
// which the caller computes, for example from marginals. So a union may have thousands of parts, and a search builds
// the trees of only those parts that may contain the result.
//
// The root of the union has a child for each part. A walker can enter this child while only the bound of the part is
// known. The only child of this node is the root of the part's tree, which is built when a walker enters it. So a
// search can prune a part, or include it in a sample, without building its tree.
//
// Package union joins a few classes into a class. Package lazy provides only trees and checkers, for classes that can
// build their parts on demand.
package lazy
