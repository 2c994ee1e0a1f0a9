// Package mechanism describes each mechanism once, in a file of its own: its name, its
// parameters with their defaults and help, the forms that it works for, how it is made, its
// guarantee, its bounds, what models say of it, and how a reader checks that. All lists them.
//
// A Setting is all that a mechanism is made for, and all of it is public: nothing here opens
// data, or fails because of what data says.
//
// Parameters have the names of the command's flags, and errors call them so: --epsilon.
package mechanism
