package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// The help of a command with many classes shows the flags that a first use needs, and lists the classes.
// If the arguments name a class or a mechanism, it shows the parameters of this class or mechanism instead.

// argument stores the command's argument, the name of a class, in f.class. It does nothing if there is no argument.
func (f *classFlags) argument(cmd *cobra.Command, args []string) error {
	for _, word := range args {
		if !f.isClass(word) {
			return f.noClass(cmd, word)
		}
	}
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return fmt.Errorf("%s takes one class, but %d are given; name one of them, or a union such as union:scorecard,tree", cmd.CommandPath(), len(args))
	case cmd.Flags().Changed("class"):
		return errors.New("the class is given twice, as an argument and by --class; remove one of them")
	}
	f.class = args[0]
	return nil
}

func (f *classFlags) isClass(word string) bool {
	_, known := model.KindOf(word)
	return known || strings.HasPrefix(word, "union:")
}

// noClass returns the error for an argument that is not the name of a class. It quotes the argument only if this
// resembles the name of a class.
func (f *classFlags) noClass(cmd *cobra.Command, word string) error {
	if cli.Nearest(word, kindNames(model.Kinds())) != "" {
		return cli.SeeHelp(cmd, cli.Unknown("class", "", word, kindNames(model.Kinds())))
	}
	return fmt.Errorf("an argument of %s is neither a class nor a flag; see %s --help", cmd.CommandPath(), cmd.CommandPath())
}

// setClassHelp replaces the help of a command whose flags select a class. If the user names neither a class nor a
// mechanism, the new help lists the classes and describes the basic flags, which are enough for a first use.
// Otherwise it describes the parameters of the named class and mechanism, and all other flags.
func setClassHelp(cmd *cobra.Command, f *classFlags, basic ...string) {
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		h := helper{cmd: cmd, w: cmd.OutOrStdout(), flags: f}
		args := cmd.Flags().Args()
		if len(args) > 0 && f.isClass(args[0]) {
			f.class = args[0]
		}
		if len(args) > 0 || cmd.Flags().Changed("class") || cmd.Flags().Changed("mechanism") {
			h.specific()
			return
		}
		h.general(basic)
	})
}

// A helper writes the help of a command whose flags select a class.
type helper struct {
	cmd   *cobra.Command
	w     io.Writer
	flags *classFlags
}

// general writes the help of the command for the case that no class is selected.
func (h helper) general(basic []string) {
	fmt.Fprintf(h.w, "%s\n\nUsage: sibyl %s\n\n", h.cmd.Long, h.cmd.Use)
	h.list(basic)
	fmt.Fprintf(h.w, "\nClasses (CLASS is short for --class CLASS; sibyl %s CLASS --help lists its parameters):\n", h.cmd.Name())
	var others []string
	h.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, own := h.flags.given[f.Name]; !own && !slices.Contains(basic, f.Name) && f.Name != "class" && f.Name != "help" {
			others = append(others, "--"+f.Name)
		}
	})
	kinds := h.known()
	for _, k := range kinds {
		fmt.Fprintf(h.w, "  %-14s %s\n", k.Name, k.What)
	}
	fmt.Fprintf(h.w, "  %-14s %s\n", "union:A,B,...", "the union of several classes; the mechanism also chooses among the classes")
	fmt.Fprintf(h.w, "\nOther flags, which sibyl %s scorecard --help describes:\n  %s\n", h.cmd.Name(), wrapped(others, 2))
}

// known returns the kinds of classes that the command supports.
func (h helper) known() []model.Kind {
	return slices.DeleteFunc(slices.Clone(model.Kinds()), func(k model.Kind) bool {
		return !slices.ContainsFunc(h.flags.owners, func(o owner) bool { return o.flag == "class" && o.name == k.Name })
	})
}

// specific writes the help of the selected classes and of the selected mechanism.
func (h helper) specific() {
	kinds := h.known()
	asked, _, err := h.flags.asked(kinds)
	if err != nil {
		fmt.Fprintf(h.w, "%s\n", quote.Line(err.Error()))
		return
	}
	for _, k := range asked {
		fmt.Fprintf(h.w, "%s: %s\n\n", k.Name, k.What)
		h.listOf(ownerOf(k))
	}
	var others []string
	h.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, own := h.flags.given[f.Name]; !own && f.Name != "class" && f.Name != "help" && f.Name != "mechanism" {
			others = append(others, f.Name)
		}
	})
	if h.cmd.Flags().Lookup("mechanism") != nil {
		h.mechanisms(asked[0])
	}
	fmt.Fprintf(h.w, "Flags of all classes:\n\n")
	h.list(others)
}

// mechanisms writes the help of the mechanisms that can release a model of the class k.
func (h helper) mechanisms(k model.Kind) {
	fmt.Fprint(h.w, "Mechanisms (--mechanism), the default first:\n\n")
	named := h.cmd.Flag("mechanism").Value.String()
	for _, m := range mechanism.Kinds(k) {
		fmt.Fprintf(h.w, "  %-12s %s\n", m.Name, wrapped(strings.Fields(m.What), 15))
	}
	fmt.Fprintln(h.w)
	for i, m := range mechanism.Kinds(k) {
		if m.Name == named || named == "" && i == 0 {
			h.listOf(ownerOfMechanism(k, m))
		}
	}
}

// listOf writes the help of the parameters of a class or of a mechanism.
func (h helper) listOf(o owner) {
	var own []*pflag.Flag
	for _, name := range h.flags.names() {
		if o.has(name) {
			own = append(own, o.described(h.cmd.Flag(name)))
		}
	}
	if len(own) > 0 {
		h.describe(own)
		fmt.Fprintln(h.w)
	}
}

// list writes the help of the flags with the given names, in this order.
func (h helper) list(names []string) {
	var flags []*pflag.Flag
	for _, name := range names {
		flags = append(flags, h.cmd.Flag(name))
	}
	h.describe(flags)
}

// describe writes the names and help texts of the given flags, in this order.
func (h helper) describe(flags []*pflag.Flag) {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	for _, f := range flags {
		set.AddFlag(f)
	}
	fmt.Fprint(h.w, set.FlagUsagesWrapped(helpWidth))
}

const helpWidth = 100

// wrapped joins words into lines of at most helpWidth bytes. All lines except the first are indented by indent
// spaces.
func wrapped(words []string, indent int) string {
	var b strings.Builder
	at := indent
	for i, word := range words {
		if i > 0 && at+1+len(word) > helpWidth {
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		} else if i > 0 {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}
