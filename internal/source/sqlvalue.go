package source

import (
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
)

// kindsOf returns the name of the database type of each column of a result, in upper case.
func kindsOf(rows *sql.Rows) ([]string, error) {
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	kinds := make([]string, len(types))
	for i, t := range types {
		kinds[i] = strings.ToUpper(t.DatabaseTypeName())
	}
	return kinds, nil
}

// appendValue appends the plain text of a value that the driver of the dialect d returned. The parameter kind is the
// name of the column's database type, which is needed because a driver may return the same Go type for several
// database types. For example, SQLite stores truth values as integers.
func appendValue(dst []byte, value any, kind string, d *database.Dialect) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return dst, nil
	case int64:
		if strings.HasPrefix(kind, "BOOL") && (v == 0 || v == 1) {
			return strconv.AppendBool(dst, v == 1), nil
		}
		return strconv.AppendInt(dst, v, 10), nil
	case int8:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int16:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case uint8:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint16:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case *big.Int:
		return v.Append(dst, 10), nil
	case float64:
		if kind == "FLOAT4" || d == database.MySQL && kind == "FLOAT" {
			return plaintext.AppendFloat(dst, v, 32), nil
		}
		return plaintext.AppendFloat(dst, v, 64), nil
	case float32:
		return plaintext.AppendFloat(dst, float64(v), 32), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case []byte:
		switch {
		case d == database.MySQL:
			return appendMySQL(dst, v, kind), nil
		case d == database.DuckDB && kind == "UUID" && len(v) == 16:
			return fmt.Appendf(dst, "%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]), nil
		}
		return append(dst, v...), nil
	case string:
		return append(dst, v...), nil
	case time.Time:
		switch kind {
		case "DATE":
			return plaintext.AppendDate(dst, v), nil
		case "TIME":
			return plaintext.AppendClock(dst, v.Sub(v.Truncate(24*time.Hour))), nil
		}
		return plaintext.AppendInstant(dst, v.UTC()), nil
	}
	if v := reflect.ValueOf(value); v.CanConvert(decimalType) {
		d := v.Convert(decimalType).Interface().(decimal)
		return plaintext.AppendDecimal(dst, d.Value, int(d.Scale)), nil
	}
	return dst, errors.New("has a type that cannot be written as plain text; cast the column to text in the query")
}

// A decimal has the same fields as DuckDB's type for decimals, so that the driver of DuckDB need not be imported.
type decimal struct {
	Width, Scale uint8
	Value        *big.Int
}

var decimalType = reflect.TypeFor[decimal]()

// appendMySQL appends the plain text of a value that MySQL's driver returned as bytes, such as a date, a time, or
// the date 0000-00-00.
func appendMySQL(dst, v []byte, kind string) []byte {
	switch kind {
	case "DATETIME", "TIMESTAMP":
		if day, clock, ok := strings.Cut(string(v), " "); ok {
			return append(append(append(append(dst, day...), 'T'), withoutZeros(clock)...), 'Z')
		}
	case "TIME":
		return append(dst, withoutZeros(string(v))...)
	}
	return append(dst, v...)
}

// withoutZeros removes the trailing zeros of a time of day that has a fraction of a second.
func withoutZeros(clock string) string {
	if strings.Contains(clock, ".") {
		return strings.TrimRight(strings.TrimRight(clock, "0"), ".")
	}
	return clock
}
