package source

import "github.com/sibyl-dp/sibyl/internal/database"

// Who writes files beside reading a source must know which ones it reads, to leave them
// alone; and messages that name files must not tell a password that was mistaken for one.

// Files returns the paths of all files that reading the location opens, or that its
// database may open or make beside them, whether they are there or not; none for standard
// input. Files that a database's environment names are not among them.
func Files(location string) []string {
	if location == "-" {
		return nil
	}
	if !database.IsURL(location) {
		return []string{location}
	}
	u, err := database.Parse(location)
	if err != nil {
		return nil // which reading it reports
	}
	return u.Files()
}

// FileName returns what messages call the file at a path (see database.FileName).
func FileName(path string) string { return database.FileName(path) }
