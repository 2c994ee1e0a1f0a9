//go:build !nomysql

package drivers

import "github.com/go-sql-driver/mysql"

// What the driver has to say of a connection, the error says.
func init() { mysql.SetLogger(&mysql.NopLogger{}) }
