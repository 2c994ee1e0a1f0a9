package parquet

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
)

// An appender appends the plain text of a non-null value.
type appender func(dst []byte, v parquet.Value) []byte

// appenderOf returns the appender for values of a Parquet type, or nil if the type is not supported.
func appenderOf(t parquet.Type) appender {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			return decimalAppender(t.Kind(), int(l.Scale))
		case *format.DateType:
			return func(dst []byte, v parquet.Value) []byte {
				return plaintext.AppendDate(dst, time.Unix(int64(v.Int32())*24*60*60, 0).UTC())
			}
		case *format.TimestampType:
			return instantAppender(l.Unit.Value.Duration())
		case *format.TimeType:
			return clockAppender(t.Kind(), l.Unit.Value.Duration())
		case *format.IntType:
			if !l.IsSigned {
				return unsignedAppender(t.Kind())
			}
		case *format.UUIDType:
			return appendUUID
		case *format.BsonType, *format.GeometryType, *format.GeographyType, *format.VariantType:
			return nil
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendBool(dst, v.Boolean()) }
	case parquet.Int32:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, int64(v.Int32()), 10) }
	case parquet.Int64:
		return func(dst []byte, v parquet.Value) []byte { return strconv.AppendInt(dst, v.Int64(), 10) }
	case parquet.Int96:
		return appendInt96
	case parquet.Float:
		return func(dst []byte, v parquet.Value) []byte { return plaintext.AppendFloat(dst, float64(v.Float()), 32) }
	case parquet.Double:
		return func(dst []byte, v parquet.Value) []byte { return plaintext.AppendFloat(dst, v.Double(), 64) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(dst []byte, v parquet.Value) []byte { return append(dst, v.ByteArray()...) }
	}
	return nil
}

func decimalAppender(k parquet.Kind, scale int) appender {
	return func(dst []byte, v parquet.Value) []byte {
		switch k {
		case parquet.Int32:
			return plaintext.AppendDecimal(dst, big.NewInt(int64(v.Int32())), scale)
		case parquet.Int64:
			return plaintext.AppendDecimal(dst, big.NewInt(v.Int64()), scale)
		}
		b := v.ByteArray() // two's complement, the high byte first
		x := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return plaintext.AppendDecimal(dst, x, scale)
	}
}

func instantAppender(unit time.Duration) appender {
	perSecond := int64(time.Second / unit)
	return func(dst []byte, v parquet.Value) []byte {
		x := v.Int64()
		return plaintext.AppendInstant(dst, time.Unix(x/perSecond, x%perSecond*int64(unit)).UTC())
	}
}

func clockAppender(k parquet.Kind, unit time.Duration) appender {
	return func(dst []byte, v parquet.Value) []byte {
		if k == parquet.Int32 {
			return plaintext.AppendClock(dst, time.Duration(v.Int32())*unit)
		}
		return plaintext.AppendClock(dst, time.Duration(v.Int64())*unit)
	}
}

func unsignedAppender(k parquet.Kind) appender {
	return func(dst []byte, v parquet.Value) []byte {
		if k == parquet.Int32 {
			return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
		}
		return strconv.AppendUint(dst, v.Uint64(), 10)
	}
}

// appendInt96 appends the plain text of an instant in the legacy format INT96, which consists of the
// nanoseconds since midnight and the Julian day number.
func appendInt96(dst []byte, v parquet.Value) []byte {
	const unixEpoch = 2440588
	x := v.Int96()
	nanoseconds := int64(x[1])<<32 | int64(x[0])
	return plaintext.AppendInstant(dst, time.Unix((int64(x[2])-unixEpoch)*24*60*60, nanoseconds).UTC())
}

func appendUUID(dst []byte, v parquet.Value) []byte {
	b := v.ByteArray()
	for i, n := range []int{4, 2, 2, 2, 6} {
		if i > 0 {
			dst = append(dst, '-')
		}
		n = min(n, len(b))
		dst = hex.AppendEncode(dst, b[:n])
		b = b[n:]
	}
	return dst
}

// sqlType returns the SQL name of a Parquet type, as source.ColumnType needs it.
func sqlType(t parquet.Type) string {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.StringType:
			return "text"
		case *format.EnumType:
			return "enum"
		case *format.DecimalType:
			return "decimal(" + strconv.Itoa(int(l.Precision)) + "," + strconv.Itoa(int(l.Scale)) + ")"
		case *format.DateType:
			return "date"
		case *format.TimestampType:
			return "timestamp"
		case *format.TimeType:
			return "time"
		case *format.IntType:
			return "integer"
		case *format.UUIDType:
			return "uuid"
		case *format.JsonType:
			return "json"
		}
		return logical.String()
	}
	switch t.Kind() {
	case parquet.Boolean:
		return "boolean"
	case parquet.Int32, parquet.Int64:
		return "integer"
	case parquet.Int96:
		return "timestamp"
	case parquet.Float, parquet.Double:
		return "double"
	}
	return t.String()
}
