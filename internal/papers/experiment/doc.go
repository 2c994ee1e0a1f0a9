// Package experiment implements the experiments of sibyl-bench and of the module bench/figure1, on
// public and generated data. Their results are exact statistics of this data and are not private.
//
//	Plan        repeats the experiment of Neel, Roth, Vietri and Wu (2019, Figure 1) on the balanced
//	            census data, with more mechanisms: accuracy on the training data against ε, and
//	            running times.
//	Contest     compares all oracles on the same problems.
//	Games       plays OracleQuery with several query players and data players.
//	Tables      compares methods on tables, by their accuracy and AUC on held-out rows.
//	Synthetics  compares synthesizers, by the distance of their rows from the real ones.
package experiment
