//go:build !nosqlite

package drivers

import _ "modernc.org/sqlite"
