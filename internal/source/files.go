package source

import "github.com/sibyl-dp/sibyl/internal/database"

// Files returns the paths of all files that reading the location may open or create, including those of
// a database, whether they exist or not. A program must not overwrite them. It returns none for standard
// input. It does not include files that environment variables of a database name.
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
