// Package lazy provides a search tree of a disjoint union of many parts. It builds the tree of a
// part only when a walker enters the part. Before that, the package knows only the exact size of a
// part and a lower bound on its costs, which the caller computes, for example from marginals. So a
// union may have thousands of parts, and a search builds the trees of only those parts that may
// contain the result.
//
// The root has a child for each part. This child has a single child, which is the root of the
// part's own tree. Entering the first child requires only the bound; entering the second builds the
// part's tree. So a search can prune or sample a part without building its tree.
//
// Package union joins a few classes into a class. Package lazy provides only trees and checkers,
// for classes that can build their parts on demand.
package lazy
