// Package experiment measures the parts of this module on public and made-up data.
//
// A Plan repeats the experiment of Neel, Roth, Vietri and Wu (2019, Figure 1) on the
// balanced census data, with the mechanisms of this module beside the papers' own:
// accuracy against ε, and running times. Its numbers are exact accuracies on the training
// data, as in the paper.
//
// A Contest has all oracles minimise over the same classes on the same data.
//
// Nothing that this package finds is private.
package experiment
