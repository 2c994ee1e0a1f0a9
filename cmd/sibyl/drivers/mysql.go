//go:build !nomysql

package drivers

import (
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/sibyl-dp/sibyl/internal/database"
)

func init() {
	// The driver returns its errors, so its log is redundant.
	mysql.SetLogger(&mysql.NopLogger{})
	database.Numbered(func(err error) string {
		var e *mysql.MySQLError
		if !errors.As(err, &e) {
			return ""
		}
		return fmt.Sprintf("error %d", e.Number)
	})
}
