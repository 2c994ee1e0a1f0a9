// Package game generates synthetic tables by a game between two players (Neel, Roth and Wu 2018,
// section 4). Every round of the game has two steps:
//
//  1. The data player samples records from the domain. These samples are its play.
//  2. The query player privately selects a query whose mean over the private table exceeds its mean
//     over the play by as much as possible. This query is the answer to the play.
//
// Only the query player reads the private table. The data player adapts its distribution to the
// previous answers. The synthetic table is the average of all plays. It answers all queries of the
// class approximately.
//
//	OracleQuery  the game
//	Context      the data player of the paper, Context-FTPL, which uses an oracle for the dual class
//	Hedge        a data player that samples records by multiplicative weights; it is recommended,
//	             since its regret is smaller than that of Context
//	ExponentialResponse, RSPM, PRSMA
//	             query players, which use the mechanisms of packages learn, perturb and robust
//
// Letters, after the paper:
//
//	S    the private table, n its number of rows
//	X    the domain of records
//	Q    the class of queries; ¬Q their negations
//	q    a query, a hypothesis of Q or of ¬Q; q(S) is the fraction of rows on which it is 1
//	T    the number of rounds
//	N    the number of samples in a play
//	S^t  the play of round t; q^t is the answer to it
//	m₁   the number of separator bits of Q
//	m₂   the number of separator bits of the dual class, whose hypotheses are the records
package game
