// Package robust holds PRSMA, the private robust subsampling meta-algorithm of Neel, Roth and Wu
// (2018): it runs RSPM many times on many parts of a table, and so needs no oracle to answer; it
// needs very many records instead. A plan fixes how many parts and runs there are.
package robust
