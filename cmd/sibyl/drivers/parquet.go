//go:build !noparquet

package drivers

import _ "github.com/sibyl-dp/sibyl/parquet"
