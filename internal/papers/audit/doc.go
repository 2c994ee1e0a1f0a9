// Package audit holds the audits of the mechanisms of the papers. It has tests only. They compute the exact
// distributions of the mechanisms' releases on all tables of small domains, and check the privacy loss on larger
// tables. Package internal/audit provides the checks, and package internal/audittest the helpers that the audits of
// several packages share.
package audit
