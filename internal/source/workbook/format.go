package workbook

import (
	"archive/zip"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
)

// A format states whether the number in a cell means a plain number, a date or a time.
type format int

const (
	plainNumber format = iota
	dateFormat         // days, with the fraction of a day as the time of day
	clockFormat        // times of day, as fractions of a day
)

// readFormats reads the workbook's file of styles, and returns the format of each cell style.
func readFormats(f *zip.File) (formats []format, err error) {
	own := make(map[string]string) // the codes of number formats, by their number
	cells := false                 // within <cellXfs>, the styles of cells; <cellStyleXfs> has the named styles
	err = each(f, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			own[value(e, "numFmtId")] = value(e, "formatCode")
		case "cellXfs":
			cells = true
		case "cellStyles", "dxfs", "cellStyleXfs", "tableStyles":
			cells = false
		case "xf":
			if cells {
				id := value(e, "numFmtId")
				code, found := own[id]
				if !found {
					code = builtIn(id)
				}
				formats = append(formats, formatOf(code))
			}
		}
		return nil
	})
	return formats, err
}

// builtIn returns the code of a predefined number format, given its id. It returns "" if the format is not one of
// dates or times. The ids 27 to 36 and 50 to 58 are formats of dates and times in East Asian versions of Excel.
func builtIn(id string) string {
	n, err := strconv.Atoi(id)
	switch {
	case err != nil:
		return ""
	case 14 <= n && n <= 17, n == 22, 27 <= n && n <= 31, n == 36, 50 <= n && n <= 54, n == 57, n == 58:
		return "yyyy-mm-dd"
	case 18 <= n && n <= 21, 32 <= n && n <= 35, n == 45, n == 47, n == 55, n == 56:
		return "hh:mm:ss"
	}
	return ""
}

// formatOf returns the format of cells whose number format has the given code, such as yyyy-mm-dd. If the code has
// several sections, only the first one matters. Durations, whose codes contain [h], [m] or [s], count as plain
// numbers of days.
func formatOf(code string) format {
	var letters strings.Builder
	for i := 0; i < len(code); i++ {
		switch c := code[i]; c {
		case ';':
			i = len(code)
		case '"':
			end := strings.IndexByte(code[i+1:], '"')
			if end < 0 {
				end = len(code) - i - 1
			}
			i += end + 1
		case '\\', '_', '*':
			i++
		case '[':
			end := strings.IndexByte(code[i:], ']')
			if end < 0 {
				return plainNumber
			}
			inside := strings.ToLower(code[i+1 : i+end])
			if inside != "" && strings.Trim(inside, "h") == "" || inside != "" && strings.Trim(inside, "m") == "" || inside != "" && strings.Trim(inside, "s") == "" {
				return plainNumber
			}
			i += end
		default:
			letters.WriteByte(c)
		}
	}
	text := strings.ToLower(letters.String())
	text = strings.ReplaceAll(strings.ReplaceAll(text, "am/pm", ""), "a/p", "")
	text = strings.ReplaceAll(text, "general", "")
	switch clock := strings.ContainsAny(text, "hs"); {
	case strings.ContainsAny(text, "yd"):
		return dateFormat
	case clock:
		return clockFormat
	case strings.Contains(text, "m"):
		return dateFormat
	}
	return plainNumber
}

const (
	milliseconds = 24 * 60 * 60 * 1000 // the number of milliseconds of a day
	lastDay      = 2958465             // 9999-12-31, counted from 1899-12-30
	leapDay      = 60                  // the day 1900-02-29, which did not exist but is counted
	between1904  = 1462                // days from 1899-12-30 to 1904-01-01
)

// appendNumber appends the plain text of the number x in a cell with the format f. Times are rounded to milliseconds.
// A number that is not a valid date or time is written as a number.
func appendNumber(dst []byte, x float64, f format, date1904 bool) []byte {
	at := math.Round(x * milliseconds)
	if f == plainNumber || !(at >= 0 && at < (lastDay+1)*milliseconds) {
		return plaintext.AppendFloat(dst, x, 64)
	}
	day, clock := int(int64(at)/milliseconds), time.Duration(int64(at)%milliseconds)*time.Millisecond
	if f == clockFormat {
		if day > 0 {
			return plaintext.AppendFloat(dst, x, 64)
		}
		return plaintext.AppendClock(dst, clock)
	}
	switch {
	case date1904:
		day += between1904
	case day == 0:
		return plaintext.AppendFloat(dst, x, 64)
	case day == leapDay:
		dst = append(dst, "1900-02-29"...)
		return appendTime(dst, clock)
	case day < leapDay:
		day++
	}
	if day > lastDay {
		return plaintext.AppendFloat(dst, x, 64)
	}
	dst = plaintext.AppendDate(dst, time.Date(1899, 12, 30+day, 0, 0, 0, 0, time.UTC))
	return appendTime(dst, clock)
}

// appendTime appends a time of day to the text of a date. It appends nothing for midnight.
func appendTime(dst []byte, clock time.Duration) []byte {
	if clock == 0 {
		return dst
	}
	return plaintext.AppendClock(append(dst, 'T'), clock)
}
