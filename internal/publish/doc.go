// Package publish creates files atomically: other programs see the whole file or none. A Draft
// gets its name after its content is on the disk; several drafts can be published together.
// Claims prevent a run from writing to its own inputs. Unfinished records what a process must
// remove if it ends early, and what it has published so far.
package publish
