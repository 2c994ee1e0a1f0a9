package table

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Profile records a differentially private release that chose the cuts or categories of some columns of a schema
// from private data. Its guarantee must be added to the guarantees of all releases from data of the same people.
// Models contain the profiles of their schema.
type Profile struct {
	Columns    []string // the names of the attributes
	Epsilon    Decimal
	Delta      Decimal
	Rho        Decimal // the release is ρ-zCDP apart from a failure, which implies Epsilon and Delta; "" if that is not known
	MuSquared  Decimal // μ², if the release is also μ-GDP apart from the failure; "" if that is not known
	Failure    Decimal // the probability of the failure; "" for none
	Relation   string  // the neighbour relation, such as "replace" or "add-remove-person-3"
	Release    string  // 32 hexadecimal digits that identify the release in a privacy budget ledger
	NotPrivate bool    // whether the release has no guarantee; then only Columns are present
}

var (
	relationName = regexp.MustCompile(`^(replace|add-remove)(-person-([1-9]|10))?$`)
	releaseName  = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

// check returns a fault if a field of the profile is invalid. The parameter path is the position of the profile in
// the schema document.
func (p *Profile) check(path string) *fault {
	if len(p.Columns) == 0 || slices.Contains(p.Columns, "") {
		return faultf(path, "[[profile]] needs the key \"columns\", the names of the attributes that it completed")
	}
	if p.NotPrivate {
		if p.Epsilon != "" || p.Delta != "" || p.Rho != "" || p.MuSquared != "" || p.Failure != "" || p.Relation != "" || p.Release != "" {
			return faultf(path, "[[profile]] has not_private = true, so \"columns\" must be its only other key")
		}
		return nil
	}
	epsilon, ok := ParseDecimal(string(p.Epsilon))
	if !ok || epsilon.Rat().Sign() <= 0 {
		return faultf(path+".epsilon", `[[profile]] needs "epsilon", a positive decimal such as "0.2"`)
	}
	delta, ok := ParseDecimal(string(p.Delta))
	if !ok || !strings.HasPrefix(string(delta), "0") {
		return faultf(path+".delta", `[[profile]] needs "delta", a decimal from "0" to below "1"`)
	}
	if rho, ok := ParseDecimal(string(p.Rho)); p.Rho != "" && (!ok || rho.Rat().Sign() <= 0) {
		return faultf(path+".rho", `"rho" of [[profile]] must be a positive decimal such as "0.01"`)
	}
	if square, ok := ParseDecimal(string(p.MuSquared)); p.MuSquared != "" && (!ok || square.Rat().Sign() <= 0 || p.Rho == "") {
		return faultf(path+".mu_squared", `"mu_squared" of [[profile]] must be a positive decimal such as "0.02", and requires "rho"`)
	}
	if failure, ok := ParseDecimal(string(p.Failure)); p.Failure != "" && (!ok || !strings.HasPrefix(string(failure), "0") || p.Rho == "") {
		return faultf(path+".failure", `"failure" of [[profile]] must be a decimal from "0" to below "1", and requires "rho"`)
	}
	if !relationName.MatchString(p.Relation) {
		return faultf(path+".relation", `[[profile]] needs "relation", "replace" or "add-remove", followed by "-person-N" if at most N rows are counted per person`)
	}
	if !releaseName.MatchString(p.Release) {
		return faultf(path+".release", "[[profile]] needs \"release\", the 32 hexadecimal digits that identify the release")
	}
	return nil
}

func decodeProfile(n *node, path string, p *Profile) *fault {
	known := []string{"columns", "epsilon", "delta", "rho", "mu_squared", "failure", "relation", "release", "not_private"}
	return decodeFields(n, path, "[[profile]]", known, func(key, path string, v *node) *fault {
		what := quote.Word(key) + " of [[profile]]"
		switch key {
		case "columns":
			return decodeTexts(v, path, what, &p.Columns)
		case "epsilon":
			return decodeDecimal(v, path, what, &p.Epsilon)
		case "delta":
			return decodeDecimal(v, path, what, &p.Delta)
		case "rho":
			return decodeDecimal(v, path, what, &p.Rho)
		case "mu_squared":
			return decodeDecimal(v, path, what, &p.MuSquared)
		case "failure":
			return decodeDecimal(v, path, what, &p.Failure)
		case "relation":
			return decodeNonempty(v, path, what, &p.Relation)
		case "release":
			return decodeNonempty(v, path, what, &p.Release)
		}
		return decodeTruth(v, path, what, &p.NotPrivate)
	})
}

func cloneProfiles(profiles []Profile) []Profile {
	all := append([]Profile(nil), profiles...)
	for i := range all {
		all[i].Columns = append([]string(nil), all[i].Columns...)
	}
	return all
}

// profileJSON is the JSON form of a Profile.
type profileJSON struct {
	Columns    []string `json:"columns"`
	Epsilon    Decimal  `json:"epsilon,omitempty"`
	Delta      Decimal  `json:"delta,omitempty"`
	Rho        Decimal  `json:"rho,omitempty"`
	MuSquared  Decimal  `json:"mu_squared,omitempty"`
	Failure    Decimal  `json:"failure,omitempty"`
	Relation   string   `json:"relation,omitempty"`
	Release    string   `json:"release,omitempty"`
	NotPrivate bool     `json:"not_private,omitempty"`
}

func profilesJSON(profiles []Profile) (all []profileJSON) {
	for _, p := range profiles {
		all = append(all, profileJSON(p))
	}
	return all
}
