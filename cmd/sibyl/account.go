package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// accountVariable is the name of the environment variable that holds the location of the default account.
const accountVariable = "SIBYL_ACCOUNT"

// accountVar defines the flag --account, which stores its value in *location.
func accountVar(flags *pflag.FlagSet, location *string) {
	*location = os.Getenv(accountVariable)
	flags.Var(accountFlag{(*cli.PathFlag)(location)}, "account", "the account, which is a privacy budget ledger: a SQLite `file`, or a URL such as postgres://user:password@host/name (default: the value of the environment variable "+accountVariable+")")
	// The help prints the default of a flag. This one may contain a password.
	flags.Lookup("account").DefValue = ""
}

// An accountFlag is the value of --account: the path of a file or a URL. In the help, its type is called "account",
// because the name of the type cli.PathFlag would be wrong for a URL.
type accountFlag struct{ *cli.PathFlag }

func (accountFlag) Type() string { return "account" }

// withAccount opens the account at the given location, calls f with it and closes it.
func withAccount(ctx context.Context, location string, f func(a *account.Account) error) error {
	if location == "" {
		return errors.New("the account is missing; give --account, or set " + accountVariable)
	}
	a, err := account.Open(ctx, location)
	if err != nil {
		return err
	}
	defer a.Close()
	return f(a)
}

func newAccount() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Track the privacy budget of a table",
		Long: `An account is the privacy budget ledger of one table. It sets a budget for the sum of
the privacy losses of all releases, and records each release. A release is reserved
before the data is opened, and settled with the digest of the published files. Its
privacy loss counts from the reservation on, even if the release fails later.

With --delta 0 the account adds up ε. With a δ above 0 it adds up ρ, the parameter of
zero-concentrated differential privacy. With many releases, a δ above 0 allows each
release a larger ε. For example, with a budget of ε = 2 and δ = 1e-9 this holds from ten
equal releases by the exponential mechanism on. In both cases the budget holds even if
each release is chosen after the earlier ones were seen.

If a person can have several rows, state the maximum number of rows used per person:
--relation replace-person-3 (see sibyl account open --help).

Examples:
  sibyl account open --account clinic.db --epsilon 2 --of "patients 2026"
  sibyl account open --account visits.db --epsilon 2 --of "visits 2026" --relation replace-person-3
  sibyl account show --account clinic.db`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAccountOpen(), newAccountShow(), newAccountExport(), newAccountVerify())
	return cmd
}

func newAccountOpen() *cobra.Command {
	var location, besides, epsilon, delta, relation, of string
	cmd := &cobra.Command{
		Use:   "open --account clinic.db --epsilon 2 --of \"patients 2026\"",
		Short: "Create an account with a privacy budget for all releases",
		Long: `Open creates an account with a budget that cannot be raised later. If the budget of an
account turns out to be too small, open a second one for the same people, and give the
file of the first to --besides, such as --besides clinic.db. Each of the two then records
the other, and account show prints the sum of both budgets. This sum bounds the privacy loss
of all releases that are charged to either account. Both
must have the same relation, and an account can be combined with only one other.

Decide now whether the budget protects rows or persons. By default it protects one row,
which is a person if each person has one row. If a person can have several rows, name
the column that identifies persons in [person] of the schema, with the maximum number of
rows used per person, such as most = 3, and open the account with the relation
replace-person-3 or add-remove-person-3. The account refuses releases of another relation.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if location == "" {
				return errors.New("the account is missing; give --account, or set " + accountVariable)
			}
			terms := account.Terms{Of: of}
			var err error
			if terms.Epsilon, err = privacy.ParseDecimal(epsilon); err != nil {
				return fmt.Errorf("--epsilon %w", err)
			}
			if terms.Delta, err = privacy.ParseDecimal(delta); err != nil {
				return fmt.Errorf("--delta %w", err)
			}
			if err := terms.Relation.UnmarshalText([]byte(relation)); err != nil {
				return fmt.Errorf("--relation %w; to protect persons with several rows, give replace-person-3 or add-remove-person-3", err)
			}
			if besides == "" {
				err = account.Create(cmd.Context(), location, terms)
			} else {
				err = account.CreateSecond(cmd.Context(), location, terms, besides)
			}
			if err != nil {
				return err
			}
			noteUnit(cmd, terms.Relation)
			return withAccount(cmd.Context(), location, func(a *account.Account) error { return showAccount(cmd, a) })
		},
	}
	accountVar(cmd.Flags(), &location)
	cmd.Flags().Var(accountFlag{(*cli.PathFlag)(&besides)}, "besides", "another account for the same people, a SQLite `file` or a URL; each of the two accounts then states the sum of both budgets")
	cmd.Flags().StringVar(&epsilon, "epsilon", "", "the budget: the maximum `ε` of all releases together")
	cmd.Flags().StringVar(&relation, "relation", privacy.ReplaceOne.String(), "the neighbour relation of all releases: two tables are neighbours if one record is replaced (replace), or if one is added or removed (add-remove); replace-person-3 and add-remove-person-3 are for a schema whose [person] has most = 3: all records of one person, at most 3, are then replaced, or added or removed")
	cmd.Flags().StringVar(&delta, "delta", "0", "the budget: the maximum `δ` of all releases together; with 0 the account adds up the ε of releases; with a number such as 1e-9 it adds up their ρ, which allows more releases")
	cmd.Flags().StringVar(&of, "of", "", "a description, in `words`, of the data that the account protects")
	must(cmd.MarkFlagRequired("epsilon"))
	must(cmd.MarkFlagRequired("of"))
	return cmd
}

// noteUnit prints whether a new account protects rows or persons, which cannot be changed later. It prints nothing
// for rows.
func noteUnit(cmd *cobra.Command, r privacy.Relation) {
	if most := r.Persons(); most > 0 {
		cli.Note(cmd, "This budget protects all rows of a person together. Schemas need a [person] with most = %d.", most)
		return
	}
	cli.Note(cmd, "This budget protects one row. If a person can have several rows, open another account with --relation %v instead, where 3 is the maximum number of rows used per person, as in [person] of the schema.", r.OfPersons(3))
}

func newAccountShow() *cobra.Command {
	var location string
	cmd := &cobra.Command{
		Use:   "show --account clinic.db",
		Short: "Show the spent, reserved and remaining budget",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withAccount(cmd.Context(), location, func(a *account.Account) error { return showAccount(cmd, a) })
		},
	}
	accountVar(cmd.Flags(), &location)
	return cmd
}

func newAccountExport() *cobra.Command {
	var location string
	cmd := &cobra.Command{
		Use:   "export --account clinic.db",
		Short: "Print all entries as CSV, or as JSON with --json",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withAccount(cmd.Context(), location, func(a *account.Account) error {
				s, err := a.Statement(cmd.Context())
				if err != nil {
					return err
				}
				return cli.Print(cmd, s, s.WriteCSV)
			})
		},
	}
	accountVar(cmd.Flags(), &location)
	return cmd
}

// verified is the output of the command sibyl account verify with --json.
type verified struct {
	Entries int    `json:"entries"`
	Head    string `json:"head"`
}

func newAccountVerify() *cobra.Command {
	var location, head string
	cmd := &cobra.Command{
		Use:   "verify --account clinic.db",
		Short: "Recompute and check all hashes, charges and sums",
		Long: `Verify recomputes the hash of every event, the charge of every release and all sums, and
compares them with the account. The hashes have no key, so a person who may write to
the account could replace all of it. To detect this, save the head that show and
verify print in another place, and pass it later as --head: verify then also checks
that no event up to this head was changed.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withAccount(cmd.Context(), location, func(a *account.Account) error {
				if err := a.Verify(cmd.Context(), release.Recompute); err != nil {
					return err
				}
				if head != "" {
					if err := a.Extends(cmd.Context(), head); err != nil {
						return err
					}
				}
				s, err := a.Statement(cmd.Context())
				if err != nil {
					return err
				}
				v := verified{len(s.Entries), s.Head}
				return cli.Print(cmd, v, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, "The account has %s. All hashes, charges and sums are correct.\nhead %s\n", entries(v.Entries), v.Head)
					return err
				})
			})
		},
	}
	accountVar(cmd.Flags(), &location)
	textVar(cmd.Flags(), &head, "head", "a `head` that show or verify printed earlier; verify then checks that no event up to it was changed")
	return cmd
}

func showAccount(cmd *cobra.Command, a *account.Account) error {
	s, err := a.Statement(cmd.Context())
	if err != nil {
		return err
	}
	shown := shownAccount{Statement: s}
	if shown.Planned, err = plannedEpsilon(s); err != nil {
		return err
	}
	return cli.Print(cmd, shown, shown.write)
}

// A shownAccount is the output of the command sibyl account show with --json.
type shownAccount struct {
	*account.Statement
	// Planned is the ε of all entries together at the account's δ. It is valid only if all entries were fixed
	// in advance. It is nil if the account's δ is 0, if there are no entries, or if no ε holds at this δ.
	Planned *privacy.Decimal `json:"planned_in_advance_epsilon,omitempty"`
}

func plannedEpsilon(s *account.Statement) (*privacy.Decimal, error) {
	if s.Terms.Delta.IsZero() {
		return nil, nil
	}
	g, err := s.Planned()
	if err != nil || g == nil {
		return nil, err
	}
	epsilon, err := privacy.EpsilonByLosses(g, s.Terms.Delta)
	if errors.Is(err, privacy.ErrNoEpsilon) {
		return nil, nil
	}
	return &epsilon, err
}
