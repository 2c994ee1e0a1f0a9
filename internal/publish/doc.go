// Package publish creates files atomically: other programs see a complete file or none. A Draft is a
// file that gets its name after its content is on the disk; several drafts can be published together.
// Claims prevent a run from writing to its own inputs. Unfinished records which temporary files a process
// must remove if it ends early, and which files it has published.
package publish
