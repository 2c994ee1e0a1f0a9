package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The error for an unknown word suggests known words that are similar. It repeats the unknown word only if this
// looks like a name, because the word may be a database URL with its password.

// Nearest returns the known words whose spelling is similar to the given word, joined by " or ". It returns "" if
// there are none, or if the word does not look like a name.
func Nearest(word string, known []string) string {
	if !plainWord.MatchString(word) {
		return ""
	}
	all := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range known {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return strings.Join(all.SuggestionsFor(word), " or ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9-]{1,20}$`)

// Unknown returns the error for an unknown word, which suggests known words of similar spelling. The parameter
// kind states what the word should name, such as "class". The parameter mark, such as "--", precedes each word in
// the error.
func Unknown(kind, mark, word string, known []string) error {
	if !plainWord.MatchString(word) {
		return fmt.Errorf("unknown %s", kind)
	}
	text := fmt.Sprintf("unknown %s: %s%s", kind, mark, word)
	if near := Nearest(word, known); near != "" {
		text += fmt.Sprintf(", did you mean %s?", mark+strings.ReplaceAll(near, " or ", " or "+mark))
	}
	return errors.New(text)
}

// NoArgs returns an error if a command was called with positional arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return fmt.Errorf("%s takes only flags, but one of the arguments is not a flag; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return SeeHelp(cmd, Unknown("command", "", args[0], known))
}

// MistypedFlag replaces an error of the flag library by an error in plain words, which refers to the help of the
// command.
func MistypedFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var value *pflag.InvalidValueError
	wrong := cmd.ValidateArgs(cmd.Flags().Args())
	switch {
	case cmd.HasAvailableSubCommands() && wrong != nil: // an unknown command, whose flags are unknown too
		return wrong
	case errors.As(err, &value):
		err = mistypedValue(value)
	case errors.As(err, new(*pflag.InvalidSyntaxError)):
		err = errors.New("an argument begins with - but is not a flag; write flags as --name")
	case errors.As(err, &missing) && missing.GetSpecifiedShortnames() != "":
		err = Unknown("flag", "-", missing.GetSpecifiedName(), nil)
	case missing != nil:
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		err = Unknown("flag", "--", missing.GetSpecifiedName(), known)
	}
	return SeeHelp(cmd, err)
}

// missingFlags returns the error for a command that was called without some of its required flags.
func missingFlags(cmd *cobra.Command) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if required := f.Annotations[cobra.BashCompOneRequiredFlag]; len(required) > 0 && !f.Changed {
			names = append(names, "--"+f.Name)
		}
	})
	text := names[0] + " is missing"
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last] + " are missing"
	}
	return SeeHelp(cmd, errors.New(text))
}

// SeeHelp extends an error by a reference to the help of the command.
func SeeHelp(cmd *cobra.Command, err error) error {
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}
