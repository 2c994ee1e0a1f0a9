package postgres

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"
)

// The formats of values in the protocol.
const (
	asText   int16 = 0
	asBinary int16 = 1
)

// A kind is a type of PostgreSQL.
type kind struct {
	name string
	size int                         // the number of bytes of its values, or -1
	of   func(b []byte) driver.Value // converts the binary format; nil for types that are sent as text
}

// The text of numbers, bytes and times depends on settings of the session, so these are sent as binary.
var (
	unsigned = func(b []byte) driver.Value { return int64(binary.BigEndian.Uint32(b)) }
	text     = func(name string) kind { return kind{name: name} }
)

// kinds has types by OID. The OIDs are the same in all servers.
var kinds = map[uint32]kind{
	16: {"BOOL", 1, func(b []byte) driver.Value { return b[0] != 0 }},
	17: {"BYTEA", -1, func(b []byte) driver.Value { return bytes.Clone(b) }},
	20: {"INT8", 8, func(b []byte) driver.Value { return int64(binary.BigEndian.Uint64(b)) }},
	21: {"INT2", 2, func(b []byte) driver.Value { return int64(int16(binary.BigEndian.Uint16(b))) }},
	23: {"INT4", 4, func(b []byte) driver.Value { return int64(int32(binary.BigEndian.Uint32(b))) }},
	26: {"OID", 4, unsigned}, 28: {"XID", 4, unsigned}, 29: {"CID", 4, unsigned},
	700:  {"FLOAT4", 4, func(b []byte) driver.Value { return float64(math.Float32frombits(binary.BigEndian.Uint32(b))) }},
	701:  {"FLOAT8", 8, func(b []byte) driver.Value { return math.Float64frombits(binary.BigEndian.Uint64(b)) }},
	1082: {"DATE", 4, date}, 1114: {"TIMESTAMP", 8, instant}, 1184: {"TIMESTAMPTZ", 8, instant},

	18: text("CHAR"), 19: text("NAME"), 25: text("TEXT"), 114: text("JSON"), 650: text("CIDR"), 774: text("MACADDR8"),
	829: text("MACADDR"), 869: text("INET"), 1042: text("BPCHAR"), 1043: text("VARCHAR"), 1083: text("TIME"),
	1186: text("INTERVAL"), 1560: text("BIT"), 1562: text("VARBIT"), 1700: text("NUMERIC"), 2950: text("UUID"), 3802: text("JSONB"),
}

// typeName returns the name of a type, or the digits of its OID.
func typeName(oid uint32) string {
	if k, ok := kinds[oid]; ok {
		return k.name
	}
	return strconv.FormatUint(uint64(oid), 10)
}

// formatOf returns the format in which the server sends values of a type.
func formatOf(oid uint32) int16 {
	if kinds[oid].of != nil {
		return asBinary
	}
	return asText
}

// decode converts a value that the server has sent. A nil slice is NULL.
func decode(oid uint32, b []byte) (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	k := kinds[oid]
	if k.of == nil {
		return string(b), nil
	}
	if k.size >= 0 && len(b) != k.size {
		return nil, fmt.Errorf("a value of type %s has %d bytes, not %d; check that the server is PostgreSQL", k.name, len(b), k.size)
	}
	return k.of(b), nil
}

// epoch is 2000-01-01, from which PostgreSQL counts days and microseconds.
const epoch = 946684800

// date converts days. The greatest and the least number are infinite.
func date(b []byte) driver.Value {
	switch days := int32(binary.BigEndian.Uint32(b)); days {
	case math.MaxInt32:
		return "infinity"
	case math.MinInt32:
		return "-infinity"
	default:
		return time.Unix(epoch+int64(days)*24*60*60, 0).UTC()
	}
}

// instant converts microseconds. The greatest and the least number are infinite.
func instant(b []byte) driver.Value {
	switch n := int64(binary.BigEndian.Uint64(b)); n {
	case math.MaxInt64:
		return "infinity"
	case math.MinInt64:
		return "-infinity"
	default:
		const second = int64(time.Second / time.Microsecond)
		return time.Unix(epoch+n/second, n%second*int64(time.Microsecond)).UTC()
	}
}

// encode returns an argument and its format. The server converts texts to the type of the parameter.
func encode(value driver.Value) ([]byte, int16) {
	switch v := value.(type) {
	case nil:
		return nil, asText
	case []byte:
		return v, asBinary
	case string:
		return []byte(v), asText
	case int64:
		return strconv.AppendInt(nil, v, 10), asText
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), asText
	case bool:
		return strconv.AppendBool(nil, v), asText
	default: // database/sql passes no other types
		return v.(time.Time).AppendFormat(nil, "2006-01-02T15:04:05.999999Z07:00"), asText
	}
}
