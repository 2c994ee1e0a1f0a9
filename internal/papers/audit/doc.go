// Package audit holds the audits of the mechanisms of the papers: the laws of their releases, by
// enumeration of all coins, on all tables of small worlds. It has tests only; package audit of the
// module provides the checks.
package audit
