//go:build !nopostgres

package drivers

import _ "github.com/jackc/pgx/v5/stdlib"
