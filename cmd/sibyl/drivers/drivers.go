// Package drivers links the databases that source.OpenDB can reach into the
// command. It is the only package that imports them.
package drivers

import (
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)
