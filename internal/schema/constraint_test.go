package schema

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// shown writes facts for tests.
func shown(all []fact, ok bool) string {
	var parts []string
	for _, f := range all {
		switch {
		case f.null:
			parts = append(parts, f.column+" null")
		case f.values != nil:
			parts = append(parts, f.column+" in "+strings.Join(f.values, "|"))
		default:
			parts = append(parts, fmt.Sprintf("%s %s%v..%s%v", f.column, f.least, f.above, f.most, f.below))
		}
	}
	return strings.NewReplacer("false", "", "true", "!").Replace(strings.Join(parts, ", ")) + map[bool]string{false: " ?"}[ok]
}

// Conditions as people write them, and as catalogs do.
func TestFacts(t *testing.T) {
	for condition, want := range map[string]string{
		`age BETWEEN 0 AND 120`:                             "age 0..120",
		`(age >= 0 AND age <= 120)`:                         "age 0.., age ..120",
		`((age >= 0) AND (age < 120))`:                      "age 0.., age ..120!",
		`0 < age`:                                           "age 0!..",
		`age > -1.50`:                                       "age -1.5!..",
		`sex IN ('f', 'm', 'it''s')`:                        "sex in f|m|it's",
		`sex = 'f' OR sex = 'm'`:                            "sex in f|m",
		`sex = 'f' OR sex = 'm' OR sex IS NULL`:             "sex in f|m",
		`"a ""b""" IN (1, 2.0)`:                             `a "b" in 1|2`,
		"`age` between 0 and 120":                           "age 0..120",
		`(` + "`sex` in (_utf8mb4\\'f\\',_utf8mb4\\'m\\'))": "sex in f|m",
		`[a b] = 3`:                                         "a b in 3",
		`(((sex)::text = ANY ((ARRAY['m'::character varying, 'f'::character varying])::text[])))`: "sex in m|f",
		`(sex = ANY (ARRAY['m'::bpchar, 'f'::bpchar]))`:                                           "sex in m|f",
		`((VALUE >= '-5'::integer) AND (VALUE <= (120)::numeric))`:                                "VALUE -5.., VALUE ..120",
		`((x >= (0)::double precision) AND (x <= '1.5'::double precision))`:                       "x 0.., x ..1.5",
		`CAST(x AS INTEGER) > 5`:                 "x 5!..",
		`age IS NOT NULL AND age > 5`:            "age .., age 5!..",
		`age IS NULL OR (age >= 0 AND age <= 5)`: "age 0.., age ..5",
		// What is more than facts about single columns.
		`age IS NULL OR sex = 'f'`:                 " ?",
		`age IS NOT NULL OR age > 5`:               " ?",
		`age > 5 OR sex = 'f'`:                     " ?",
		`age > 5 OR 1 = 1`:                         " ?",
		`age > 5 OR TRUE`:                          " ?",
		`age > size`:                               " ?",
		`age > 3 + 1`:                              " ?",
		`NOT age > 5`:                              " ?",
		`NOT (age > 5) AND size < 3`:               "size ..3! ?",
		`age NOT BETWEEN 1 AND 5`:                  " ?",
		`age <> 5`:                                 " ?",
		`length(name) < 5 AND age > 0`:             "age 0!.. ?",
		`CASE WHEN p AND age > 5 AND q THEN 1 END`: " ?",
		`name LIKE 'a%'`:                           " ?",
		`sex IN (SELECT code FROM sexes)`:          " ?",
		`sex IN ()`:                                " ?",
		`age >`:                                    " ?",
		`(age > 5`:                                 " ?",
		`age > 5)`:                                 " ?",
		``:                                         " ?",
		`age > 'b'`:                                " ?",
		`other.age > 5`:                            " ?",
		`age > 5 'x`:                               " ?",
		strings.Repeat("(", 5000) + "age > 5":      " ?",
		strings.Repeat("NOT ", 5000) + "age > 5":   " ?",
		strings.Repeat("- ", 5000) + "5 > age":     " ?",
	} {
		if got := shown(facts(condition)); got != want {
			t.Errorf("%.100s\n got  %s\n want %s", condition, got, want)
		}
	}
}

// Any condition is parsed in the end.
func TestFactsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(strings.Split(`( ) AND OR NOT IN BETWEEN IS NULL = < >= , a "b" 'c' 5 -1 :: text ANY ARRAY [ ] CAST AS . ' " \' x`, " ")), 0, 40).Draw(t, "words")
		facts(strings.Join(words, rapid.SampledFrom([]string{" ", ""}).Draw(t, "between")))
	})
}

func TestChecksOf(t *testing.T) {
	for statement, want := range map[string]string{
		`CREATE TABLE t (a INT CHECK (a > 0), b TEXT CHECK(b IN ('(', ')')), CHECK (a < 5 AND (b = 'x')))`:                                             `(a > 0)|(b IN ('(', ')'))|(a < 5 AND (b = 'x'))`,
		"CREATE TABLE t (a INT -- CHECK (a > 0)\n/* CHECK (b) */, \"check (\" TEXT, recheck (5), d DEFAULT 'check (1)' CONSTRAINT c CHECK\n(d <> ''))": `(d <> '')`,
		`CREATE TABLE t (a)`:            ``,
		`CREATE TABLE t (a CHECK (a > `: `(a > `,
		``:                              ``,
	} {
		if got := strings.Join(checksOf(statement), "|"); got != want {
			t.Errorf("%s\n got  %s\n want %s", statement, got, want)
		}
	}
}
