// Package audit holds the audits of the mechanisms of the papers: the exact distributions of their releases on all
// tables of small worlds, and their privacy loss on larger tables. It has tests only. Package internal/audit provides
// the checks, and package internal/audittest what the audits of several packages share.
package audit
