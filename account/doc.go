// Package account keeps count of what is spent of a table's privacy, in a database that
// survives crashes, weeks and colleagues.
//
// An account is opened once with its [Terms]: (ε, δ), a neighbour relation, and what it is
// the account of. Every release from that table is then entered in two steps:
//
//	token, err := a.Reserve(ctx, entry)   // before private data is opened
//	…                                     // read, draw, publish
//	err = a.Settle(ctx, token, digest)    // after what was released is published
//
// What is reserved counts as spent, whatever becomes of it, and nothing is given back. A
// [privacy.Filter] admits a release only if all of them together keep (ε, δ), even where
// each was chosen from what was released before it (docs/explanation/proofs/filter.md). That holds of
// what is entered: the account cannot know of releases that pass it by, nor whether the
// data is the same.
//
// The location of an account is the path of a SQLite file, or the URL of a SQLite or a
// PostgreSQL database (package database). The program must link a database/sql driver that
// registers itself as "sqlite" or "pgx". A reservation is durable when Reserve returns, as
// far as the disk, or the server with its settings, keeps what it says is written.
//
// The account is a list of events (opened, reserved, settled), each with a hash over it and
// the one before. Whoever reads it computes all hashes, charges and sums anew: an account
// that was changed or cut is refused. The chain has no key. Who may write to the database can
// write another account, or put an older copy in place; that shows only against a head
// (see [Statement]) that was kept elsewhere.
//
// Times are informative: events are ordered by their numbers.
package account
