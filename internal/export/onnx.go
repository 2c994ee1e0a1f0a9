package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var onnxFormat = Format{Name: "onnx", Ending: ".onnx", What: "an ONNX model with an input for each column: texts, or numbers of 64 bits", Write: ONNX, Binary: true}

// onnxVersion and the following constants are the versions of the ONNX format and of the operator sets that the
// exported graph uses.
const (
	onnxVersion    = 8  // of the file format
	onnxOperators  = 13 // of ai.onnx
	onnxLearning   = 2  // of ai.onnx.ml
	learningDomain = "ai.onnx.ml"
)

// insideOutput is the name of the graph output which states whether all values of a row are inside the schema's
// domain. If it is false, the other outputs are meaningless.
const insideOutput = "inside"

// mostDigitsOfFloat is the maximum number of significant digits of an exported decimal number. Different decimals with
// up to 15 digits convert to different 64-bit floating-point numbers.
const mostDigitsOfFloat = 15

// ONNX returns an ONNX model whose inputs are columns of N rows. An attribute with values or groups has an input of
// texts, and an attribute with cuts has an input of 64-bit floating-point numbers, in which NaN is a missing value.
// Dates are not supported, unless the model does not depend on them.
//
// A cut may have at most 15 significant digits. Then the graph compares a decimal of at most 15 digits with the cut
// correctly, although both are converted to 64-bit numbers. With 32-bit numbers, this would hold for at most 7 digits.
func ONNX(m *model.Model, _ Options) ([]byte, error) {
	d, err := documentOf(m)
	if err != nil {
		return nil, err
	}
	g := &graph{schema: m.Schema}
	if err := g.read(m.Rule()); err != nil {
		return nil, err
	}
	first := slices.IndexFunc(g.codes, func(codes string) bool { return codes != "" })
	zero := g.op("Mul", "", g.codes[first], g.integer(0))
	grade := g.op("Add", "", g.body(m.Rule()), zero)
	index := zero
	if len(d.Results) > 1 {
		var from []int64
		for _, r := range d.Results[1:] {
			from = append(from, int64(r.From))
		}
		index = g.count(g.op("GreaterOrEqual", "", grade, g.integers([]int64{1, int64(len(from))}, from...)))
	}
	g.outputs(d, grade, index)
	return g.model(d), nil
}

// A graph is an ONNX graph under construction. Its elements are already encoded as protocol buffer messages.
type graph struct {
	schema                             *table.Schema
	prefix                             string // the prefix of the names of all tensors except inputs and outputs
	made                               int
	nodes, constants, inputs, outgoing []byte
	inside                             string   // the tensor that states whether all values are in the domain
	codes                              []string // by attribute, the tensor of its codes, which are at least 0
}

// The types of tensor elements, with the numbers that ONNX assigns to them.
const (
	onnxFloat  = 1
	onnxInt    = 7
	onnxString = 8
	onnxBool   = 9
	onnxDouble = 11
)

// message encodes a protocol buffer field whose content is a message, a text or bytes.
func message(field int, content []byte) []byte {
	b := binary.AppendUvarint(nil, uint64(field)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

func messageText(field int, text string) []byte { return message(field, []byte(text)) }

// scalar encodes a protocol buffer field whose content is an integer.
func scalar(field int, n int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), uint64(n))
}

// fresh returns a name that no tensor of the graph has.
func (g *graph) fresh() string {
	g.made++
	return g.prefix + strconv.Itoa(g.made)
}

// op adds a node to the graph that applies an operator of the operator set ai.onnx, and returns the name of its
// output.
func (g *graph) op(kind, output string, inputs ...string) string {
	return g.node(kind, "", output, nil, inputs...)
}

// node adds a node to the graph that applies an operator, and returns the name of its output. The parameter kind is
// the name of the operator, and domain is its operator set. If output is empty, node chooses a new name for the
// output.
func (g *graph) node(kind, domain, output string, attributes []byte, inputs ...string) string {
	if output == "" {
		output = g.fresh()
	}
	var b []byte
	for _, in := range inputs {
		b = append(b, messageText(1, in)...)
	}
	b = append(b, messageText(2, output)...)
	b = append(append(b, messageText(4, kind)...), attributes...)
	if domain != "" {
		b = append(b, messageText(7, domain)...)
	}
	g.nodes = append(g.nodes, message(1, b)...)
	return output
}

// attribute encodes an attribute of a node, whose value is an integer, a text, or a list of these.
func attribute(name string, value any) []byte {
	b, kind := messageText(1, name), int64(0)
	switch v := value.(type) {
	case int64:
		b, kind = append(b, scalar(3, v)...), 2
	case string:
		b, kind = append(b, messageText(4, v)...), 3
	case []int64:
		for _, n := range v {
			b = append(b, scalar(8, n)...)
		}
		kind = 7
	case []string:
		for _, s := range v {
			b = append(b, messageText(9, s)...)
		}
		kind = 8
	}
	return message(5, append(b, scalar(20, kind)...))
}

// tensor adds a constant tensor to the graph, and returns the name of the tensor.
func (g *graph) tensor(kind int64, dims []int64, raw []byte) string {
	name := g.fresh()
	var b []byte
	for _, d := range dims {
		b = append(b, scalar(1, d)...)
	}
	b = append(append(b, scalar(2, kind)...), messageText(8, name)...)
	g.constants = append(g.constants, message(5, append(b, message(9, raw)...))...)
	return name
}

func (g *graph) integers(dims []int64, of ...int64) string {
	var raw []byte
	for _, n := range of {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(n))
	}
	return g.tensor(onnxInt, dims, raw)
}

func (g *graph) integer(n int64) string { return g.integers([]int64{1, 1}, n) }

func (g *graph) doubles(of ...float64) string {
	var raw []byte
	for _, x := range of {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	return g.tensor(onnxDouble, []int64{1, int64(len(of))}, raw)
}

// described encodes the name, the type and the shape of an input or output, which has N rows.
func described(name string, kind, columns int64) []byte {
	rows, width := messageText(2, "N"), scalar(1, columns)
	shape := append(message(1, rows), message(1, width)...)
	return append(messageText(1, name), message(2, message(1, append(scalar(1, kind), message(2, shape)...)))...)
}

func (g *graph) cast(x string, to int64) string {
	return g.node("Cast", "", "", attribute("to", to), x)
}

// count adds nodes that count the true elements in each row of a boolean tensor, and returns the name of the tensor of
// counts.
func (g *graph) count(x string) string {
	return g.node("ReduceSum", "", "", attribute("keepdims", int64(1)), g.cast(x, onnxInt), g.integers([]int64{1}, 1))
}

// ignored reports, for each attribute, whether the exported model has no input for it. An attribute is ignored if it
// contains dates, all its values are in the domain, and the rule does not depend on it. If this holds for all
// attributes, none is ignored, because an ONNX model needs an input.
func (g *graph) ignored(b rule.Body) []bool {
	all, n := make([]bool, len(g.schema.Attributes)), 0
	for j := range all {
		a := &g.schema.Attributes[j]
		if all[j] = a.IsDate() && a.Other != "" && !slices.Contains(rule.Attributes(b), j); all[j] {
			n++
		}
	}
	if n == len(all) {
		clear(all)
	}
	return all
}

// read adds the inputs of the graph, and the nodes that compute the category codes of the attributes. It sets g.codes
// to the names of the tensors of these codes, or to "" for an attribute that the model ignores, and g.inside to the
// tensor that states which rows are inside the domain.
func (g *graph) read(b rule.Body) error {
	numbers := map[string]bool{}
	ignored := g.ignored(b)
	g.prefix = "sibyl:"
	for j := range g.schema.Attributes {
		a := &g.schema.Attributes[j]
		if ignored[j] {
			continue
		}
		number, known := numbers[a.Column]
		switch {
		case a.IsDate():
			return fmt.Errorf("the model reads dates in attribute %s, which ONNX does not support; export the model as JavaScript, Python or Go", quote.Word(a.Name))
		case slices.Contains([]string{predictionColumn, pointsColumn, rule.Place, rule.Leaf, riskColumn, insideOutput}, a.Column):
			return fmt.Errorf("the column %s has the name of an output of the ONNX model; rename the column of the data", quote.Word(a.Column))
		case known && number != (len(a.Cuts) > 0):
			return fmt.Errorf("the column %s is read both as numbers and as texts, but an ONNX input has one type; export the model as JavaScript, Python or Go", quote.Word(a.Column))
		case !known:
			numbers[a.Column] = len(a.Cuts) > 0
			kind := int64(onnxString)
			if len(a.Cuts) > 0 {
				kind = onnxDouble
			}
			g.inputs = append(g.inputs, message(11, described(a.Column, kind, 1))...)
		}
		for strings.HasPrefix(a.Column, g.prefix) {
			g.prefix += ":"
		}
	}
	for j := range g.schema.Attributes {
		if ignored[j] {
			g.codes = append(g.codes, "")
			continue
		}
		code, err := g.code(&g.schema.Attributes[j])
		if err != nil {
			return err
		}
		inside := g.op("GreaterOrEqual", "", code, g.integer(0))
		if g.inside != "" {
			inside = g.op("And", "", g.inside, inside)
		}
		g.inside = inside
		g.codes = append(g.codes, g.op("Max", "", code, g.integer(0)))
	}
	return nil
}

// code adds nodes that compute the category codes of an attribute, and returns the name of their tensor. A value
// outside the domain has the code -1.
func (g *graph) code(a *table.Attribute) (string, error) {
	other := int64(-1)
	if a.Other != "" {
		other = int64(a.Len() - 1)
	}
	if len(a.Cuts) == 0 {
		var texts []string
		var codes []int64
		for code, values := range readColumnOf(a, &g.schema.File).Values {
			for _, text := range values {
				texts, codes = append(texts, text), append(codes, int64(code))
			}
		}
		return g.node("LabelEncoder", learningDomain, "", slices.Concat(attribute("keys_strings", texts), attribute("values_int64s", codes), attribute("default_int64", other)), a.Column), nil
	}
	cuts, err := floats(a, a.Cuts, mostDigitsOfFloat)
	if err != nil {
		return "", err
	}
	missing, err := floats(a, a.MissingNumbers(), mostDigitsOfFloat)
	if err != nil {
		return "", err
	}
	no := g.op("Or", "", g.op("IsNaN", "", a.Column), g.op("IsInf", "", a.Column))
	for _, m := range missing {
		no = g.op("Or", "", no, g.op("Equal", "", a.Column, g.doubles(m)))
	}
	return g.op("Where", "", no, g.integer(other), g.count(g.op("GreaterOrEqual", "", a.Column, g.doubles(cuts...)))), nil
}

// floats converts decimals of an attribute to 64-bit floating-point numbers. It returns an error if one of them has
// more significant digits than the parameter most.
func floats(a *table.Attribute, of []table.Decimal, most int) (all []float64, err error) {
	for _, d := range of {
		x, err := strconv.ParseFloat(string(d), 64)
		if digitsOf(d) > most || err != nil || math.Abs(x) >= 1e300 || x != 0 && math.Abs(x) < 1e-300 {
			return nil, fmt.Errorf("the number %s of attribute %s is not exact in this format; use numbers of at most %d digits, or export the model as JavaScript, Python or Go",
				quote.Word(string(d)), quote.Word(a.Name), most)
		}
		all = append(all, x)
	}
	return all, nil
}

// digitsOf returns the number of significant digits of a decimal.
func digitsOf(d table.Decimal) int {
	return len(strings.Trim(strings.ReplaceAll(strings.TrimPrefix(string(d), "-"), ".", ""), "0"))
}

// body adds nodes that compute the grade of each row according to the rule, and returns the name of the tensor of
// grades.
func (g *graph) body(b rule.Body) string {
	switch b := b.(type) {
	case rule.Points:
		total := g.integer(int64(b.Start))
		for j, own := range b.Of {
			switch {
			case len(own) == 0:
			case g.codes[j] == "":
				total = g.op("Add", "", total, g.integer(int64(own[0]))) // the points of all categories are equal
			default:
				total = g.op("Add", "", total, g.lookup(j, own))
			}
		}
		if b.If != nil {
			total = g.op("Add", "", total, g.op("Mul", "", g.formula(b.If), g.integer(int64(b.Bonus))))
		}
		return total
	case rule.List:
		grade := g.integer(0)
		for i, step := range slices.Backward(b.Steps) {
			grade = g.op("Where", "", g.cast(g.formula(allOf(step)), onnxBool), g.integer(int64(i+1)), grade)
		}
		return grade
	case *rule.Tree:
		if b.Leaf() {
			return g.integer(int64(b.Number))
		}
		return g.op("Where", "", g.cast(g.formula(b.If), onnxBool), g.body(b.Yes), g.body(b.No))
	}
	return g.formula(b.(rule.Decision).Formula)
}

// lookup adds a node that maps the category code of an attribute in each row to the element of values with this index.
// It returns the name of the tensor of these numbers.
func (g *graph) lookup(attribute int, values []int) string {
	var all []int64
	for _, n := range values {
		all = append(all, int64(n))
	}
	return g.op("Gather", "", g.integers([]int64{int64(len(all))}, all...), g.codes[attribute])
}

// formula adds nodes that compute, for each row, 1 if the formula holds and 0 otherwise. It returns the name of the
// tensor of these numbers.
func (g *graph) formula(f rule.Formula) string {
	if c, ok := f.(rule.Condition); ok {
		holds := make([]int, g.schema.Attributes[c.Attribute].Len())
		for _, code := range c.Accepts {
			holds[code] = 1
		}
		return g.lookup(c.Attribute, holds)
	}
	var parts []string
	for _, part := range rule.Parts(f) {
		parts = append(parts, g.formula(part))
	}
	sum := g.integer(0)
	for _, part := range parts {
		sum = g.op("Add", "", sum, part)
	}
	switch f.(type) {
	case rule.Not:
		return g.op("Sub", "", g.integer(1), parts[0])
	case rule.Odd:
		return g.op("Mod", "", sum, g.integer(2))
	}
	return g.cast(g.op("GreaterOrEqual", "", sum, g.integer(int64(leastOf(f)))), onnxInt)
}

// outputs adds the outputs of the graph. The parameters grade and index are the names of tensors which contain, for
// each row, its grade and the index of its result in d.Results.
func (g *graph) outputs(d *document, grade, index string) {
	output := func(name string, kind, columns int64) {
		g.outgoing = append(g.outgoing, message(12, described(name, kind, columns))...)
	}
	var predictions []int64
	for _, r := range d.Results {
		predictions = append(predictions, int64(r.Prediction))
	}
	predicted := g.op("Gather", "", g.integers([]int64{int64(len(predictions))}, predictions...), index)
	if names := d.Label.Outcomes; names == nil {
		g.op("Where", predictionColumn, g.inside, predicted, g.integer(-1))
		output(predictionColumn, onnxInt, 1)
	} else {
		var keys []int64
		for i := range names {
			keys = append(keys, int64(i))
		}
		predicted = g.op("Where", "", g.inside, predicted, g.integer(-1))
		g.node("LabelEncoder", learningDomain, predictionColumn, slices.Concat(attribute("keys_int64s", keys), attribute("values_strings", names), attribute("default_string", "")), predicted)
		output(predictionColumn, onnxString, 1)
	}
	if d.Measure != "" {
		g.op("Where", d.Measure, g.inside, grade, g.integer(0))
		output(d.Measure, onnxInt, 1)
	}
	if d.Risks {
		var raw []byte
		width := int64(len(d.Results[0].Risk))
		for _, r := range d.Results {
			for _, value := range r.Risk {
				x := math.NaN()
				if value != nil {
					x = *value
				}
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
			}
		}
		risks := g.tensor(onnxFloat, []int64{int64(len(d.Results)), width}, raw)
		risk := g.op("Squeeze", "", g.op("Gather", "", risks, index), g.integers([]int64{1}, 1))
		unknown := g.tensor(onnxFloat, []int64{1, 1}, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.NaN()))))
		g.op("Where", riskColumn, g.inside, risk, unknown)
		output(riskColumn, onnxFloat, width)
	}
	g.op("Identity", insideOutput, g.inside)
	output(insideOutput, onnxBool, 1)
}

// model returns the content of the ONNX file with the graph.
func (g *graph) model(d *document) []byte {
	of := slices.Concat(g.nodes, messageText(2, "rule"), g.constants, g.inputs, g.outgoing)
	b := slices.Concat(scalar(1, onnxVersion), messageText(2, "sibyl"), messageText(6, d.Guarantee), message(7, of))
	b = append(b, message(8, append(messageText(1, ""), scalar(2, onnxOperators)...))...)
	b = append(b, message(8, append(messageText(1, learningDomain), scalar(2, onnxLearning)...))...)
	for _, p := range [][2]string{{"guarantee", d.Guarantee}, {"model", d.Model}, {"label", d.Label.Column}, {"epsilon", d.Epsilon}, {"delta", d.Delta}, {"relation", d.Relation}, {"outcomes", strings.Join(d.Label.Outcomes, "\n")}} {
		b = append(b, message(14, append(messageText(1, p[0]), messageText(2, p[1])...))...)
	}
	return b
}
