package source

import "github.com/sibyl-dp/sibyl/internal/database"

// Files returns the paths of all files that reading the location may open or create, so that a program does not
// overwrite them. They include the files of a database, and need not exist. Standard input has none. Files that
// environment variables of a database name are not included.
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

// FileName returns the name of a file for messages. It hides passwords (see database.FileName).
func FileName(path string) string { return database.FileName(path) }
