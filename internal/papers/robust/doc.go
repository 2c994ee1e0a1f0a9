// Package robust implements PRSMA, the private robust subsampling meta-algorithm of Neel, Roth and Wu (2018). PRSMA
// divides a table at random into many parts, and runs a base mechanism such as RSPM many times on each part. Its
// guarantee holds even if calls of the optimization oracle fail, but PRSMA needs a very large table. PRSMAPlan holds
// the numbers of parts and runs, and PlanPRSMA computes them.
package robust
