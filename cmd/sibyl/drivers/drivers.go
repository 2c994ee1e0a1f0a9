// Package drivers links what package source reads by the help of others into the
// command: Parquet files, and the databases that source.OpenDB can reach.
package drivers

import (
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	_ "github.com/sibyl-dp/sibyl/source/parquet"
)
