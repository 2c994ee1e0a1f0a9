package export

import "github.com/sibyl-dp/sibyl/internal/model"

var jsonFormat = Format{Name: "json", Ending: ".json", What: "the rule, its categories, risks and guarantee as JSON, for a program to read", Write: JSON}

// JSON returns the model as a JSON document, which docs/reference/rule.schema.json
// describes.
func JSON(m *model.Model, _ Options) ([]byte, error) {
	d, err := documentOf(m)
	if err != nil {
		return nil, err
	}
	return []byte(d.written(jsonSyntax) + "\n"), nil
}
