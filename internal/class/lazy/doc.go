// Package lazy makes one tree of many: that of a disjoint union of parts, of which each is laid
// out only when a walk goes below it. Until then a part is its exact size and a bound on its
// costs, which whoever makes the parts gets from counts. So a union may have thousands of parts,
// of which a walk lays out those that may hold what it looks for.
//
// The root has a child for each part. That child has one child, the root of the part's own tree:
// entering the first takes nothing but the bound, and entering the second lays the part out. A
// walk that only passes by, or weighs a part, does not.
//
// Union joins a few classes into a class; here are only trees and checkers, for classes that know
// how to lay out their parts.
package lazy
