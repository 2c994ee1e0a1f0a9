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
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// accountVariable names the environment variable that holds the default account.
const accountVariable = "SIBYL_ACCOUNT"

// accountVar defines the flag --account.
func accountVar(flags *pflag.FlagSet, location *string) {
	*location = os.Getenv(accountVariable)
	flags.Var(accountFlag{(*pathFlag)(location)}, "account", "the account: the path of a SQLite `file`, or a URL as postgres://user:password@host/name (by default, what "+accountVariable+" holds)")
	// The help would print a default, with its password.
	flags.Lookup("account").DefValue = ""
}

// An accountFlag is the value of --account.
type accountFlag struct{ *pathFlag }

func (accountFlag) Type() string { return "account" }

// withAccount opens the account, calls f and closes the account.
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
		Long: `An account says how much may be spent of one table's privacy, in all, and keeps
count of every release from it, across crashes, weeks and colleagues. A release
is reserved before the data is opened, and settled with the digest of what was
published. What is reserved counts as spent, whatever became of it.

With --delta 0 an account adds up ε. With a δ it adds up ρ, of zero-concentrated
privacy, which pays for many small releases: at ε = 2 and δ = 1e-9, from 10 by the
exponential mechanism. Either way the limit holds however each release is chosen
from those before it.

  sibyl account open --account clinic.db --epsilon 2 --of "patients 2026"
  sibyl account show --account clinic.db`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAccountOpen(), newAccountShow(), newAccountExport(), newAccountVerify())
	return cmd
}

func newAccountOpen() *cobra.Command {
	var location, epsilon, delta, relation, of string
	cmd := &cobra.Command{
		Use:   "open --account clinic.db --epsilon 2 --of \"patients 2026\"",
		Short: "Open a new account with the privacy budget of all releases",
		Args:  noArgs,
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
				return fmt.Errorf("--relation %w", err)
			}
			if err := account.Create(cmd.Context(), location, terms); err != nil {
				return err
			}
			return withAccount(cmd.Context(), location, func(a *account.Account) error { return showAccount(cmd, a) })
		},
	}
	accountVar(cmd.Flags(), &location)
	cmd.Flags().StringVar(&epsilon, "epsilon", "", "the `ε` that all releases together may consume")
	cmd.Flags().StringVar(&relation, "relation", privacy.ReplaceOne.String(), "what neighbouring tables differ in: a record that is replaced (replace) or one that is there or not (add-remove); of all releases; with [person] and most = 3 in the schema, replace-person-3 or add-remove-person-3")
	cmd.Flags().StringVar(&delta, "delta", "0", "the `δ` of all releases together; 0 adds up ε, and a number such as 1e-9 adds up ρ")
	cmd.Flags().StringVar(&of, "of", "", "a description of the data that the account protects, in `words`")
	must(cmd.MarkFlagRequired("epsilon"))
	must(cmd.MarkFlagRequired("of"))
	return cmd
}

func newAccountShow() *cobra.Command {
	var location string
	cmd := &cobra.Command{
		Use:   "show --account clinic.db",
		Short: "Show the spent, reserved and remaining budget",
		Args:  noArgs,
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
		Short: "Write all entries as CSV, or with --json as JSON, for an auditor",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withAccount(cmd.Context(), location, func(a *account.Account) error {
				s, err := a.Statement(cmd.Context())
				if err != nil {
					return err
				}
				return printing(cmd, s, s.WriteCSV)
			})
		},
	}
	accountVar(cmd.Flags(), &location)
	return cmd
}

// verified is the output of account verify --json.
type verified struct {
	Entries int    `json:"entries"`
	Head    string `json:"head"`
}

func newAccountVerify() *cobra.Command {
	var location, head string
	cmd := &cobra.Command{
		Use:   "verify --account clinic.db",
		Short: "Recompute and check all hashes, charges and sums",
		Long: `Verify reads the whole account and computes anew the hash of every event, the
charge of every release and all sums. The hashes have no key: who may write to
the account could write another one. So keep the head that show and verify print
elsewhere, and give it later with --head: then nothing before it was changed.`,
		Args: noArgs,
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
				return printing(cmd, v, func(w io.Writer) error {
					_, err := fmt.Fprintf(w, "The account is unchanged since it was written, with %s, and its sums are correct.\nhead %s\n", entries(v.Entries), v.Head)
					return err
				})
			})
		},
	}
	accountVar(cmd.Flags(), &location)
	textVar(cmd.Flags(), &head, "head", "a `head` that was saved earlier")
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
	return printing(cmd, shown, shown.write)
}

// A shownAccount is the output of account show --json.
type shownAccount struct {
	*account.Statement
	// Planned is the ε of the entries at the account's δ if all of them were fixed in advance; nil
	// if it does not improve on their sum.
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
