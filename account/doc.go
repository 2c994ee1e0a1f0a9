// Package account implements a ledger of the privacy budget of a table: a durable record, in a
// database, of all releases from the table and the budget that they consume.
//
// An account is created once with its [Terms]: ε and δ, a neighbour relation, and a description of
// the data. Every release from that table is then recorded in two steps:
//
//	token, err := a.Reserve(ctx, entry)   // before private data is opened
//	…                                     // read the data, compute the release, publish it
//	err = a.Settle(ctx, token, digest)    // after the release is published
//
// A reserved amount counts as consumed, even if the release fails, and is never refunded. A
// [privacy.Filter] admits a release only if all recorded releases together satisfy (ε, δ)-differential
// privacy, also if each release is chosen depending on the earlier ones
// (docs/explanation/proofs/filter.md). The account does not know of releases that are not recorded
// in it, and it cannot check that the data is the data it was created for.
//
// The location of an account is the path of a SQLite file, or the URL of a SQLite or PostgreSQL
// database. The program must link a database/sql driver that registers itself as "sqlite" or "pgx".
// A reservation is durable when Reserve returns, provided that the disk or the database server
// keeps the data that it has confirmed as written.
//
// The account is a list of events (created, reserved, settled). Each event has a hash of itself and of
// the previous hash. A reader recomputes all hashes, charges and sums, and refuses an account that
// was modified or truncated. The hashes have no key: a person with write access to the database can
// replace the account by another one or by an older copy. This can be detected only with a head (see
// [Statement]) that is stored elsewhere.
//
// Times are informative; events are ordered by their numbers.
package account
