// Package audit holds tests that audit the mechanisms of the four papers (package papers). For all tables of small
// domains, the tests compute the exact distribution of a mechanism's releases. For larger tables, they measure the
// privacy loss. The checks are in package internal/audit, and helpers that the audits of several packages share are in
// package internal/audittest.
package audit
