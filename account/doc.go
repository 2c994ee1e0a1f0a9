// Package account implements a ledger of the privacy budget of a table. The ledger is a durable record, in a
// database, of all releases from the table and of the budget that they consume.
//
// An account is created once with its [Terms]: ε and δ, a neighbour relation, and a description of the data. Every
// release from that table is then recorded in two steps:
//
//	token, err := a.Reserve(ctx, entry)   // before private data is opened
//	…                                     // read the data, compute the release, publish it
//	err = a.Settle(ctx, token, digest)    // after the release is published
//
// A reserved amount counts as consumed, even if the release fails, and is never refunded. A [privacy.Filter] admits a
// release only if all recorded releases together satisfy (ε, δ)-differential privacy. This also holds if the releases
// are chosen adaptively, each after the earlier ones were seen (docs/explanation/proofs/filter.md).
//
// The account knows only the releases that are recorded in it. It cannot check that a release reads the data for
// which the account was created.
//
// The location of an account is the path of a SQLite file, or the URL of a SQLite or PostgreSQL database. The program
// must import a database/sql driver that registers itself as "sqlite" or "pgx". A reservation is durable when Reserve
// returns, provided that the disk or the database server keeps the data that it has confirmed as written.
//
// The account is a list of events: its creation, reservations, settlements, and the record of a second account. The
// hash of an event is computed from its text and the hash of the previous event. Open recomputes all hashes, charges
// and sums, and refuses an account that was modified or truncated.
//
// The hashes have no key. So a person with write access to the database can replace the account by another one, or by
// an older copy. To detect this, store the Head of a [Statement] elsewhere, and check it later with Extends.
//
// Events are ordered by their numbers. Their times are for information only.
package account
