// Package experiment repeats the experiment of Neel, Roth, Vietri and Wu (2019,
// Figure 1) on the balanced census data, with the mechanisms of this module
// beside the papers' own: accuracy against ε, and running times. Its numbers
// are exact accuracies on the training data, as in the paper; nothing that it
// prints is private.
package experiment
