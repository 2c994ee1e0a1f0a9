package schema

import (
	"slices"
	"strings"
	"unicode"
)

// The name of a column may suggest the kind of its values. The guess is written as a comment in the schema. It
// determines nothing: the person who completes the schema decides.

var (
	dateWords = []string{"date", "datetime", "dat", "day", "dob", "birthdate", "birthday", "timestamp", "time", "at"}
	yesWords  = []string{"is", "has", "was", "had", "did", "does", "can"} // words at the beginning of a name
	flagWords = []string{"flag", "yn", "yesno", "bool", "boolean"}        // words at the end of a name
)

// identifiers lists words that indicate that a column identifies persons. A word counts if it is the whole name
// of the column or the end of the name.
var identifiers = []string{
	"id", "ids", "uid", "uuid", "guid", "pid", "mrn", "ssn", "nin", "nhs", "email", "mail", "phone",
	"patient", "person", "customer", "client", "user", "username", "subject", "member", "passport",
}

// Identifies reports whether the name of a column suggests that it identifies persons.
func Identifies(column string) bool {
	words := nameWords(column)
	return len(words) > 0 && slices.Contains(identifiers, words[len(words)-1])
}

// guess returns a comment on the kind of values that the name of a column suggests, or "" if the name suggests
// none.
func guess(name string) string {
	words := nameWords(name)
	if len(words) == 0 {
		return ""
	}
	last := words[len(words)-1]
	switch {
	case Identifies(name):
		return "Guess from the name: an identifier. Delete this attribute, or name the column in [person]."
	case slices.Contains(dateWords, last) && (last != "at" || len(words) > 1):
		return `Guess from the name: a date or time. If so, write kind = "date".`
	case len(words) > 1 && slices.Contains(yesWords, words[0]), slices.Contains(flagWords, last):
		return `Guess from the name: yes or no. If so, write the two values, such as values = ["no", "yes"].`
	}
	return ""
}

// nameWords divides a name such as patientID, admission_date or "Is smoker" into lower-case words.
func nameWords(name string) (words []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	letters := []rune(name)
	for i, r := range letters {
		if !unicode.IsLetter(r) {
			end()
			continue
		}
		after := i+1 < len(letters) && unicode.IsLower(letters[i+1])
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || after) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
