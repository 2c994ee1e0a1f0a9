package database

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// duckdbParameters lists the parameters that a DuckDB URL may have, with patterns of their values. They limit the
// resources that DuckDB uses.
var duckdbParameters = map[string]*regexp.Regexp{
	"memory_limit": regexp.MustCompile(`^[1-9][0-9]{0,8}([KMGT]i?)?B$`),
	"threads":      regexp.MustCompile(`^[1-9][0-9]{0,3}$`),
}

// parseDuckDB parses the URL of a DuckDB database, given without its scheme. A URL without a path means an in-memory
// database, whose queries can read files.
func parseDuckDB(rest string) (*URL, error) {
	rest, query, _ := strings.Cut(rest, "?")
	path, err := url.PathUnescape(strings.TrimPrefix(rest, "//"))
	// DuckDB interprets the part of a path after a question mark as parameters, and a path with a colon as the
	// name of a service. It requires valid percent escapes but does not decode them, and ignores parameters
	// after a number sign.
	if err != nil || strings.ContainsAny(path, "?:%#") {
		return nil, errors.New("the path of a DuckDB database must not contain ?, :, % or #; rename the file")
	}
	parameters, err := url.ParseQuery(query)
	for key, values := range parameters {
		if form := duckdbParameters[key]; form == nil || len(values) > 1 || !form.MatchString(values[0]) {
			err = errors.New(key)
		}
	}
	if err != nil {
		return nil, errors.New("the URL of the DuckDB database has an unknown or repeated parameter; it may have memory_limit, as in memory_limit=100MB, and threads, as in threads=2")
	}
	u := &URL{dialect: DuckDB, shown: quote.Name("duckdb:" + rest), driver: "duckdb"}
	parameters.Set("autoinstall_known_extensions", "false")
	if path != "" {
		u.files = []string{path}
		parameters.Set("access_mode", "READ_ONLY")
	}
	u.dsn = path + "?" + parameters.Encode()
	return u, nil
}
