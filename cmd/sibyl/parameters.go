package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The parameters of classes and mechanisms become flags. The command defines the flags of all
// classes and mechanisms, and stores the given values as text. When the class and the mechanism are
// known, their parameters are set from these texts. If the user gives a flag that is a parameter of
// neither, this is an error.

// An owner is a class or a mechanism whose parameters are flags of the command.
type owner struct {
	flag       string // the flag that selects the owner: class or mechanism
	name       string
	class      string              // the class, or the class that the mechanism works for
	parameters func(*flag.FlagSet) // defines the parameters as flags
}

func ownerOf(k model.Kind) owner {
	return owner{"class", k.Name, k.Name, func(f *flag.FlagSet) { k.New().Parameters(f) }}
}

func ownerOfMechanism(k model.Kind, m mechanism.Kind) owner {
	return owner{"mechanism", m.Name, k.Name, func(f *flag.FlagSet) { m.New().Parameters(f) }}
}

// flags returns the parameters of a class or a mechanism as flags, with their defaults.
func (o owner) flags() *flag.FlagSet { return model.ParametersOf(o.parameters) }

// described returns a copy of the command's flag f for a parameter, with the help text and the default that this
// owner gives it.
func (o owner) described(f *pflag.Flag) *pflag.Flag {
	of, own := *f, o.flags().Lookup(f.Name)
	of.Usage, of.DefValue = own.Usage, own.DefValue
	return &of
}

// has reports whether a class or a mechanism has a parameter with the given name.
func (o owner) has(name string) bool { return o.flags().Lookup(name) != nil }

// parameters are the flags for the parameters of all owners (classes and mechanisms) that a command supports.
type parameters struct {
	owners []owner
	given  map[string]*parameter
}

// A parameter is the value of a flag for a parameter of a class or mechanism. It stores the texts that the user
// gives, and checks only their types, because their range depends on the owner.
type parameter struct {
	scratch *flag.Flag // the flag of one of the owners that have this parameter; it parses values to check their type
	texts   []string
}

func (p *parameter) String() string {
	if p.scratch == nil || len(p.texts) > 0 {
		return strings.Join(p.texts, ",")
	}
	return p.scratch.DefValue
}

func (p *parameter) Set(text string) error {
	if text == "" {
		return errEmpty
	}
	if err := p.scratch.Value.Set(text); err != nil {
		return err
	}
	p.texts = append(p.texts, text)
	return nil
}

// Type returns the name of the type of the value, for messages and help.
func (p *parameter) Type() string {
	if get, ok := p.scratch.Value.(flag.Getter); ok {
		return fmt.Sprintf("%T", get.Get())
	}
	return "words"
}

// register defines a flag of the command cmd for each parameter of the owners (classes and mechanisms).
func (p *parameters) register(cmd *cobra.Command, owners ...owner) {
	if p.given == nil {
		p.given = map[string]*parameter{}
	}
	p.owners = append(p.owners, owners...)
	for _, o := range owners {
		o.flags().VisitAll(func(f *flag.Flag) {
			if known := cmd.Flags().Lookup(f.Name); known != nil {
				if p.given[f.Name] != nil && known.Usage != f.Usage {
					known.Usage = "a parameter of several classes; the help of the class describes it"
				}
				return
			}
			one := &parameter{scratch: f}
			p.given[f.Name] = one
			flag := cmd.Flags().VarPF(one, f.Name, "", f.Usage)
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
				flag.NoOptDefVal = "true"
			}
		})
	}
}

// set copies the values that the user gave to the parameters of one class or mechanism. The function define defines
// these parameters as flags.
func (p *parameters) set(define func(*flag.FlagSet)) error {
	return model.SetParameters(define, func(yield func(name, text string) bool) {
		for name, of := range p.given {
			for _, text := range of.texts {
				if !yield(name, text) {
					return
				}
			}
		}
	})
}

// checkStray returns an error if the user gave a parameter that belongs to none of the selected classes and
// mechanisms (asked). The parameter class is the value of --class.
func (p *parameters) checkStray(asked []owner, class string) error {
	for _, name := range p.names() {
		if len(p.given[name].texts) == 0 || slices.ContainsFunc(asked, func(o owner) bool { return o.has(name) }) {
			continue
		}
		last := asked[len(asked)-1]
		what, with, not := "mechanism", p.mechanismsWith(name, last.class), last.name
		if len(with) == 0 {
			what, with, not = "class", p.classesWith(name), quote.Name(class)
		}
		return fmt.Errorf("--%s is a parameter of --%s %s, but not of %s; leave --%s out", name, what, strings.Join(with, ", "), not, name)
	}
	return nil
}

// mechanismsWith lists the mechanisms for the given class that have a parameter with the given name.
func (p *parameters) mechanismsWith(name, class string) (with []string) {
	for _, o := range p.owners {
		if o.flag == "mechanism" && o.class == class && o.has(name) {
			with = append(with, o.name)
		}
	}
	return with
}

// classesWith lists the classes that have a parameter with the given name, themselves or in one of their mechanisms.
func (p *parameters) classesWith(name string) (with []string) {
	for _, o := range p.owners {
		if o.has(name) && !slices.Contains(with, o.class) {
			with = append(with, o.class)
		}
	}
	return with
}

// names returns the sorted names of the parameters of all classes and mechanisms that the command supports.
func (p *parameters) names() []string {
	var names []string
	for name := range p.given {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// classFlags are the flags that define the learning problem: a schema, a class of hypotheses over the schema, and
// costs. All of them are public.
type classFlags struct {
	parameters
	schema   string
	class    string
	chosen   *pflag.Flag // the flag --class if public facts choose the class when the user does not; otherwise nil
	balanced bool
	request  release.Request // has the costs from the beginning
}

// usualClass is the default of --class. Commands that can choose the class from public facts use this default only if
// the user names no class, but gives a parameter of a class or mechanism.
const usualClass = "scorecard"

// register defines the flags for classes of the given kinds.
func (f *classFlags) register(cmd *cobra.Command, kinds []model.Kind) {
	flags := cmd.Flags()
	cli.PathVar(flags, &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	flags.StringVar(&f.class, "class", usualClass, "the `class`: "+classNames(kinds)+"; or a union such as union:scorecard,conjunction, in which the mechanism also chooses the class")
	f.request.Costs.FalsePositive, f.request.Costs.FalseNegative = 1, 1
	flags.Int64Var(&f.request.Costs.FalsePositive, "false-positive", 1, "the `cost` of predicting positive for a row with a negative label, relative to --false-negative")
	flags.Int64Var(&f.request.Costs.FalseNegative, "false-negative", 1, "the `cost` of predicting negative for a row with a positive label, relative to --false-positive")
	for _, k := range kinds {
		f.parameters.register(cmd, ownerOf(k))
	}
	must(cmd.MarkFlagRequired("schema"))
	must(cmd.RegisterFlagCompletionFunc("class", completions(kindNames(kinds))))
}

// choose makes --class optional: if the user gives neither a class nor a parameter of one, the command chooses the
// class from public facts, such as the number of rows.
func (f *classFlags) choose(cmd *cobra.Command) {
	f.chosen = cmd.Flag("class")
	f.class, f.chosen.DefValue = "", ""
	f.chosen.Usage += " (default: the class that public facts choose; if a parameter of a class or mechanism is given, " + usualClass + ")"
}

// unnamed reports whether the user neither names a class nor gives a parameter of a class or mechanism.
func (f *classFlags) unnamed() bool {
	return f.classless() && !f.balanced && !slices.ContainsFunc(f.names(), func(name string) bool { return len(f.given[name].texts) > 0 })
}

// classless reports whether the user names no class and the command can choose one.
func (f *classFlags) classless() bool { return f.class == "" && f.chosen != nil && !f.chosen.Changed }

// registerBalanced defines --balanced, for commands that may run the exponential mechanism.
func (f *classFlags) registerBalanced(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.balanced, "balanced", false, "for unions of classes: penalize each class for its number of hypotheses, so that a class is not selected only because it has more of them")
}

func kindNames(kinds []model.Kind) []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

func classNames(kinds []model.Kind) string { return strings.Join(kindNames(kinds), ", ") }

// searched returns the kinds of classes for which the exponential mechanism uses a branch-and-bound search.
func searched() []model.Kind {
	return slices.DeleteFunc(slices.Clone(model.Kinds()), func(k model.Kind) bool { return k.Selection != model.BySearch })
}

// completions returns a function that offers the given words for shell completion.
func completions(words []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// asked returns the kinds of the selected classes, and reports whether they form a union.
func (f *classFlags) asked(kinds []model.Kind) (asked []model.Kind, union bool, err error) {
	if f.classless() {
		f.class = usualClass
	}
	list, union := strings.CutPrefix(f.class, "union:")
	names := []string{f.class}
	if union {
		names = strings.Split(list, ",")
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k model.Kind) bool { return !k.Joins() })
	}
	for i, name := range names {
		at := slices.IndexFunc(kinds, func(k model.Kind) bool { return k.Name == name })
		if _, known := model.KindOf(name); known && at < 0 {
			return nil, union, fmt.Errorf("--class %s is not supported by this command; use one of %s, or a union of these such as union:scorecard,conjunction", name, classNames(kinds))
		}
		if at < 0 {
			return nil, union, fmt.Errorf("--class %s is unknown; it must be one of %s, or a union such as union:scorecard,conjunction", quote.Word(name), classNames(kinds))
		}
		if slices.Contains(names[:i], name) {
			return nil, union, fmt.Errorf("--class %s: a union must not name a class twice; name each class once", quote.Word(f.class))
		}
		asked = append(asked, kinds[at])
	}
	if f.balanced && !union {
		return nil, union, errUnbalanced
	}
	return asked, union, nil
}

// errUnbalanced is returned if --balanced is given without a union.
var errUnbalanced = fmt.Errorf("--balanced requires a union such as --class union:scorecard,conjunction; choose a union, or leave --balanced out")

// read copies the schema and the class from the flags to the request. Before that, it returns an error if the user
// gave a parameter that belongs to none of the selected classes and mechanisms.
func (f *classFlags) read(asked []model.Kind, union bool, mechanisms ...owner) error {
	var owners []owner
	for _, k := range asked {
		owners = append(owners, ownerOf(k))
	}
	if err := f.checkStray(append(owners, mechanisms...), f.class); err != nil {
		return err
	}
	if err := f.readSchema(); err != nil {
		return err
	}
	f.request.Balanced = f.balanced
	var forms []model.Form
	for _, k := range asked {
		form, err := f.form(k, f.request.Schema)
		if err != nil {
			return err
		}
		forms = append(forms, form)
	}
	f.request.Form = forms[0]
	if union {
		f.request.Form = model.UnionOf(forms)
	}
	return nil
}

func (f *classFlags) readSchema() (err error) {
	f.request.Schema, err = release.ReadSchema(f.schema)
	return err
}

func (f *classFlags) form(k model.Kind, s *table.Schema) (model.Form, error) {
	ask := k.New()
	if err := f.set(ask.Parameters); err != nil {
		return nil, err
	}
	return ask.Form(s)
}

// mechanismFlag holds the value of the flag that selects the mechanism of a release.
type mechanismFlag struct {
	name string
	flag *pflag.Flag
}

func (m *mechanismFlag) register(cmd *cobra.Command, f *classFlags) {
	cmd.Flags().StringVar(&m.name, "mechanism", "", "the `mechanism`, the private algorithm that selects the hypothesis (default: the first one that --help of the class lists)")
	m.flag = cmd.Flag("mechanism")
	must(cmd.RegisterFlagCompletionFunc("mechanism", completions(mechanismNames())))
	f.registerMechanisms(cmd)
}

// registerMechanisms defines the flags of all mechanisms.
func (f *classFlags) registerMechanisms(cmd *cobra.Command) {
	for _, k := range model.Kinds() {
		for _, m := range mechanism.Kinds(k) {
			f.parameters.register(cmd, ownerOfMechanism(k, m))
		}
	}
	if cmd.Flags().Lookup("oracle") != nil {
		must(cmd.RegisterFlagCompletionFunc("oracle", completions(mechanisms.Oracles())))
	}
}

func mechanismNames() []string {
	var names []string
	for _, k := range model.Kinds() {
		for _, m := range mechanism.Kinds(k) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// kind returns the kind of the selected mechanism or, if none is selected, the default mechanism for the class k.
func (m *mechanismFlag) kind(k model.Kind) (mechanism.Kind, error) {
	if !m.flag.Changed {
		return mechanism.Usual(k)
	}
	return mechanism.Named(k, m.name)
}

// readChoice copies the schema, the class and the mechanism from the flags to the request. If the user names no
// class, no mechanism and no parameter, it first chooses the class from public facts, and returns the candidates that
// it considered.
func (f *classFlags) readChoice(m *mechanismFlag) (release.Choice, error) {
	if f.unnamed() && !m.flag.Changed {
		return f.choice()
	}
	return nil, f.readNamed(m)
}

// choice reads the schema, chooses the class from public facts, and returns the candidates that it considered.
func (f *classFlags) choice() (release.Choice, error) {
	if err := f.readSchema(); err != nil {
		return nil, err
	}
	return f.request.Choose()
}

func (f *classFlags) readNamed(m *mechanismFlag) error {
	asked, union, err := f.asked(model.Kinds())
	if err != nil {
		return err
	}
	of := kindOf(asked, union)
	kind, err := m.kind(of)
	if err != nil {
		return err
	}
	mechanism := kind.New()
	if err := f.set(mechanism.Parameters); err != nil {
		return err
	}
	f.request.Mechanism = mechanism
	return f.read(asked, union, ownerOfMechanism(of, kind))
}

// kindOf returns the kind of class that determines which mechanisms are available for the selected classes. A union
// with a class that is not searched has a kind of its own. In all other cases, the selected classes have the same
// mechanisms, and kindOf returns the kind of the first class.
func kindOf(asked []model.Kind, union bool) model.Kind {
	if of := model.UnionKind(asked); union && of.Selection == model.Combined {
		return of
	}
	return asked[0]
}
