package database

import (
	"errors"
	"net/url"
	"strings"

	"github.com/sibyl-dp/sibyl/quote"
)

// parseDuckDB takes the URL of a DuckDB database apart. One without a path names no
// database: its queries read files.
func parseDuckDB(rest string) (*URL, error) {
	path, err := pathOf(rest, DuckDB)
	if err != nil {
		return nil, err
	}
	// DuckDB takes the rest of a path with a question mark for parameters, one with a
	// colon for the name of a service, and does not decode percent signs but wants them sound.
	if strings.ContainsAny(path, "?:%") {
		return nil, errors.New("the path of a DuckDB database holds a question mark, a colon or a percent sign; give the file another name")
	}
	u := &URL{dialect: DuckDB, shown: quote.Name("duckdb:" + rest), driver: "duckdb"}
	parameters := url.Values{"autoinstall_known_extensions": {"false"}}
	if path != "" {
		u.files = []string{path}
		parameters.Set("access_mode", "READ_ONLY")
	}
	u.dsn = path + "?" + parameters.Encode()
	return u, nil
}
