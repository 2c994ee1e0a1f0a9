package database

import (
	"errors"
	"net/url"
	"strings"
	"time"
)

// errMySQLURL is the error for a MySQL URL that is invalid or ambiguous.
var errMySQLURL = errors.New("the database's URL is invalid; write mysql://user:password@host:port/name?parameters, and encode characters in user and password: @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25")

// errTwice is the error for a URL in which a parameter is given twice.
var errTwice = errors.New("a parameter of the database's URL is given twice; give each once")

// parseMySQL parses the URL of a MySQL or MariaDB database. Only a few parameters are allowed. With others, the
// driver would allow several statements in a query, let the server read local files, or change the values that are
// read.
func parseMySQL(location string) (*URL, error) {
	u, err := url.Parse(location)
	if err != nil || u.Opaque != "" || !strings.Contains(location, "://") || strings.Contains(location, "#") ||
		strings.Contains(u.EscapedPath()+u.RawQuery, "@") || strings.Contains(u.User.Username(), ":") || strings.ContainsAny(u.Host, "()") {
		return nil, errMySQLURL
	}
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errMySQLURL
	}
	address := "tcp(" + u.Host + ")"
	if u.Host == "" {
		address = "tcp(127.0.0.1)"
	}
	parameters := url.Values{
		"charset": {"utf8mb4"},
		"tls":     {"preferred"},
	}
	for key, values := range given {
		if len(values) > 1 {
			return nil, errTwice
		}
		value := values[0]
		switch {
		case key == "tls" && (value == "true" || value == "false" || value == "preferred" || value == "skip-verify"):
			parameters.Set(key, value)
		case key == "timeout" && isDuration(value):
			parameters.Set(key, value)
		case key == "socket" && strings.HasPrefix(value, "/") && !strings.ContainsAny(value, "()"):
			address = "unix(" + value + ")"
			parameters.Set("tls", "false")
		default:
			return nil, errors.New("the database's URL has an unknown parameter; the parameters are tls (true, preferred, skip-verify or false), timeouts such as timeout=10s, and socket=/path; a password must be before the @, as in mysql://user:password@host/name")
		}
	}
	d := &URL{dialect: MySQL, driver: "mysql"}
	d.show(u)
	password, _ := u.User.Password()
	d.dsn = u.User.Username() + ":" + password + "@" + address + "/" + url.PathEscape(strings.TrimPrefix(u.Path, "/")) + "?" + parameters.Encode()
	return d, nil
}

func isDuration(text string) bool {
	d, err := time.ParseDuration(text)
	return err == nil && d > 0
}
