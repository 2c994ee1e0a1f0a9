// Package audit holds the audits of the mechanisms of the papers. It has tests only. They compute the exact
// distributions of the mechanisms' releases on all tables of small domains, and measure the privacy loss on larger
// tables. The checks are in package internal/audit, and helpers that the audits of several packages share are in
// package internal/audittest.
package audit
