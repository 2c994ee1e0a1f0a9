// Package lazy provides a search tree of a disjoint union of many parts, which builds the tree of a
// part only when a walker enters it. Before that, a part is described by its exact size and a lower
// bound on its costs, which the caller computes, for example from counts. So a union may have
// thousands of parts, of which a search builds only those that may contain what it searches for.
//
// The root has a child for each part. That child has a single child, the root of the part's own
// tree. Entering the first only uses the bound; entering the second builds the part. So sampling a
// part, or pruning it, does not build it.
//
// Package union joins a few classes into a class. Package lazy provides only trees and checkers,
// for classes that can build their parts on demand.
package lazy
