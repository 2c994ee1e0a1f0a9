// Package publish creates files atomically, so that other programs see a complete file or none:
//
//   - A Draft is a file that gets its name after its content is on the disk. Several drafts can be published
//     together.
//   - Claims prevent a run from writing to its own inputs.
//   - An Unfinished lists the temporary files that a process must remove if it ends early, and the files that it has
//     published.
package publish
