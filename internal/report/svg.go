package report

import (
	"fmt"
	"html/template"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// SVGStart returns the beginning of an inline SVG drawing with a title. The width, the height and the size of
// the letters are given in pixels.
func SVGStart(wide, high, letters int, title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-size="%d" fill="currentColor">`+"\n<title>%s</title>\n",
		wide, high, wide, high, letters, svgText(title))
}

func svgText(s string) string { return template.HTMLEscapeString(quote.Clean(s)) }
