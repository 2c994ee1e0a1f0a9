// Package game makes synthetic tables by a game of two players (Neel, Roth and Wu 2018,
// section 4). In every round a data player plays a distribution on records, and a query
// player, who alone reads the table, answers privately with a query of which the table has
// more than the play. The data player learns from these answers; the average of its plays is
// the synthetic table, nearly as good for all queries of the class as for those asked.
//
//	OracleQuery  the game: its guarantee, its rounds, what is released.
//	Context      the data player of the paper: follow the perturbed leader, by an oracle
//	             for the dual class.
//	Hedge        a data player that draws by the exponential mechanism from the records.
//	             Its regret is smaller; take this one.
//	Exponential, RSPM, PRSMA  the query player, by the mechanisms of package learn.
//
// Letters, after the paper:
//
//	n   rows of the table S
//	q   a query, a hypothesis of Q or the negation of one; q(S) the share of rows where it is 1
//	T   rounds
//	N   draws of a play
//	S^t the play of round t, q^t the answer to it
//	m₁  bits of the separator of Q, m₂ of that of the dual, whose hypotheses are records
package game
