//go:build !nopostgres

package drivers

import _ "github.com/sibyl-dp/sibyl/internal/postgres"
