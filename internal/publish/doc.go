// Package publish writes files that are seen whole or not at all. A Draft takes its name
// when it is on the disk; several are published together. Claims keep a run from writing
// to what it reads, and Unfinished knows what a process must remove if it ends early, and
// what it has published by then.
package publish
