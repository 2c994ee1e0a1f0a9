package source

import "github.com/sibyl-dp/sibyl/internal/database"

// Files returns the paths of all files that may be opened or created when the location is read, so that a
// program can avoid overwriting them. They include the files of a database, and need not exist. For standard
// input, there are none. Files that environment variables of a database name are not included.
func Files(location string) []string {
	if location == "-" {
		return nil
	}
	if !database.IsURL(location) {
		return []string{location}
	}
	u, err := database.Parse(location)
	if err != nil {
		return nil // reading the location reports the error
	}
	return u.Files()
}

// FileName returns the name of a file for messages, without passwords (see database.FileName).
func FileName(path string) string { return database.FileName(path) }
