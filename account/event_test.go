package account

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// written returns the lines of an account with correct hashes, as another program could write them. The
// arguments are the event that opens the account and the events after it, as JSON without number and time.
func written(opening string, events ...string) []line {
	var lines []line
	before := ""
	for i, body := range append([]string{opening}, events...) {
		body = strings.Replace(body, "{", `{"sequence":`+string(rune('0'+i))+`,"time":"",`, 1)
		lines = append(lines, line{int64(i), body, chained(before, body)})
		before = lines[i].hash
	}
	return lines
}

func followed(lines []line) (*ledger, error) {
	l := newLedger()
	for _, next := range lines {
		if err := l.follow(next); err != nil {
			return l, err
		}
	}
	return l, nil
}

const (
	opensPure  = `{"open":{"format":"sibyl-account/1","id":"00","epsilon":"1","delta":"0","relation":"replace","of":"x","limit":{"epsilon":"1"}}}`
	opensMixed = `{"open":{"format":"sibyl-account/1","id":"00","epsilon":"2","delta":"0.000000001","relation":"replace","of":"x","limit":{"rho":"0.05","delta":"0.0000000005"}}}`
	takesPure  = `{"reserve":{"description":{},"guarantee":{"relation":"replace","parts":[{"kind":"pure","epsilon":"0.4","times":1}],"assumes":[]},"charge":{"epsilon":"0.4"}}}`
	takesMixed = `{"reserve":{"description":{},"guarantee":{"relation":"replace","parts":[{"kind":"bounded-range","epsilon":"0.1","times":3},{"kind":"zcdp","rho":"1/100","times":1},{"kind":"approximate","epsilon":"0.1","delta":"0.0000000001","times":1}],"assumes":["exact-oracle"]},"charge":{"rho":"0.01875","delta":"0.0000000001"}}}`
	joins      = `{"beside":{"id":"11111111111111111111111111111111","terms":{"epsilon":"2","delta":"0.000000001","relation":"replace","of":"y"}}}`
	settles    = `{"settle":{"entry":1,"sha256":"0000000000000000000000000000000000000000000000000000000000000000"}}`
)

// TestFollow checks that errors are detected in accounts whose hashes are correct.
func TestFollow(t *testing.T) {
	for name, lines := range map[string][]line{
		"pure":  written(opensPure, takesPure, settles, takesPure),
		"mixed": written(opensMixed, takesMixed, takesMixed, settles),
	} {
		l, err := followed(lines)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := l.statement()
		if err != nil {
			t.Fatal(err)
		}
		if s.Spent.String() != s.Reserved.String() || len(s.Entries) != 2 || s.Head != l.head.name() {
			t.Errorf("%s: %+v", name, s)
		}
	}
	edit := strings.Replace
	besides := func(event string) string { return strings.TrimSuffix(event, "}") + "," + joins[1:] }
	for name, c := range map[string]struct {
		lines []line
		says  string
	}{
		"overspent":            {written(opensPure, takesPure, takesPure, takesPure), "event 3: the budget does not suffice"},
		"overspent ρ":          {written(opensMixed, takesMixed, takesMixed, takesMixed), "event 3: the budget does not suffice"},
		"cheap":                {written(opensPure, edit(takesPure, `"charge":{"epsilon":"0.4"}`, `"charge":{"epsilon":"0.3"}`, 1)), "event 1: the charge stored in the entry differs from the charge that its guarantee requires"},
		"cheap δ":              {written(opensMixed, edit(takesMixed, `1"}}}`, `01"}}}`, 1)), "event 1: the charge stored in the entry differs from the charge that its guarantee requires"},
		"rich":                 {written(edit(opensMixed, `0.05"`, `0.06"`, 1)), "event 0: invalid privacy parameter: the limit of all charges exceeds the largest limit"},
		"rich ε":               {written(edit(opensPure, `{"epsilon":"1"}`, `{"epsilon":"2"}`, 1)), "event 0: invalid privacy parameter"},
		"of another kind":      {written(opensPure, takesMixed), "an amount of the entry has the wrong keys"},
		"other relation":       {written(opensPure, edit(takesPure, "replace", "add-remove", 1)), "event 1: the guarantee cannot be charged"},
		"no relation":          {written(opensPure, edit(takesPure, "replace", "", 1)), "event 1: "},
		"no parts":             {written(opensPure, edit(takesPure, `{"kind":"pure","epsilon":"0.4","times":1}`, "", 1)), "event 1: the guarantees cannot be combined into one"},
		"no times":             {written(opensPure, edit(takesPure, `"times":1`, `"times":0`, 1)), "in a part of the guarantee, the key \"times\" is 0, but must be 1 to "},
		"unknown kind":         {written(opensPure, edit(takesPure, `"pure"`, `"free"`, 1)), "unknown kind"},
		"kind with too much":   {written(opensPure, edit(takesPure, `"times"`, `"rho":"1","times"`, 1)), "unknown kind"},
		"unknown assumption":   {written(opensMixed, edit(takesMixed, "exact-oracle", "faith", 1)), "event 1: "},
		"no fraction":          {written(opensMixed, edit(takesMixed, "1/100", "2/200", 1)), "must be a fraction in lowest terms"},
		"unknown key":          {written(opensPure, edit(takesPure, `"description"`, `"free":1,"description"`, 1)), "event 1: the JSON of the event is valid, but is not written exactly as this program writes it"},
		"ε with a zero":        {written(opensPure, edit(takesPure, `"epsilon":"0.4","times"`, `"epsilon":"0.40","times"`, 1)), "event 1: the JSON of the event is valid, but is not written exactly as this program writes it"},
		"ε that is none":       {written(opensPure, edit(takesPure, `"epsilon":"0.4","times"`, `"epsilon":"-4","times"`, 1)), "event 1: the JSON of the event is invalid"},
		"key twice":            {written(opensPure, edit(takesPure, `"charge"`, `"charge":{"epsilon":"0.1"},"charge"`, 1)), "event 1: the JSON of the event is valid, but is not written exactly as this program writes it"},
		"opened twice":         {written(opensPure, opensPure), "event 1: the event creates an account, but an earlier event already did"},
		"not opened":           {written(takesPure), "event 0: the first event must create the account"},
		"another format":       {written(edit(opensPure, "account/1", "account/2", 1)), "event 0: the format must be"},
		"of no kind":           {written(opensPure, `{"settle":null}`), "event 1: "},
		"nothing":              {written(opensPure, edit(takesPure, `"0.4"}}}`, `"0.4"}},"settle":{"entry":1,"sha256":"00"}}`, 1)), "event 1: the event must have exactly one of the keys"},
		"joined twice":         {written(opensPure, joins, joins), `event 2: the account already has a second account for the same people ("y")`},
		"joined by opening":    {written(opensBeside, joins), "event 1: the account already has a second account"},
		"joined itself":        {written(edit(opensPure, `"00"`, `"11111111111111111111111111111111"`, 1), joins), "event 1: the identifier of the second account must be 32 hexadecimal digits, and must differ from that of the first account"},
		"joined nobody":        {written(opensPure, edit(joins, "1111", "", 1)), "event 1: the identifier of the second account must be 32 hexadecimal digits, and must differ from that of the first account"},
		"joined too early":     {written(joins), "event 0: the first event must create the account"},
		"joined others":        {written(opensPure, edit(joins, "replace", "add-remove", 1)), "event 1: two accounts for the same people must have the same neighbour relation, but these have replace and add-remove"},
		"joined no words":      {written(opensPure, edit(joins, `"y"`, `""`, 1)), "event 1: the second account: the description of the data"},
		"joined no budget":     {written(opensPure, edit(joins, `"2"`, `"0"`, 1)), "event 1: the second account: invalid privacy parameter"},
		"opened beside itself": {written(edit(opensBeside, `"00"`, `"11111111111111111111111111111111"`, 1)), "event 0: the identifier of the second account must be 32 hexadecimal digits, and must differ from that of the first account"},
		"opened beside others": {written(edit(opensBeside, `"relation":"replace","of":"y"`, `"relation":"add-remove","of":"y"`, 1)), "event 0: two accounts for the same people"},
		"settled and joined":   {written(opensPure, takesPure, besides(settles)), "event 2: the event must have exactly one of the keys"},
		"reserved and joined":  {written(opensPure, besides(takesPure)), "event 1: the event must have exactly one of the keys"},
		"opened and joined":    {written(besides(opensPure)), "event 0: the event must have exactly one of the keys"},
		"settled too early":    {written(opensPure, settles), "event 1: entry 1 does not exist"},
		"settled twice":        {written(opensPure, takesPure, settles, settles), "event 3: entry 1 is already settled"},
		"settled without sum":  {written(opensPure, takesPure, edit(settles, "00", "", 1)), "event 2: the digest of the file must be a SHA-256 digest"},
	} {
		if _, err := followed(c.lines); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", name, err, c.says)
		}
	}
	// One event is replaced by an event with a correct hash, and the events after it are unchanged.
	replaced := written(opensPure, takesPure, settles)
	other := written(opensPure, edit(takesPure, "0.4", "0.1", 2))
	if _, err := followed([]line{replaced[0], other[1], replaced[2]}); err == nil || err.Error() != "the stored hash of event 2 does not match its content and the previous hash" {
		t.Errorf("got %v", err)
	}
	skipped := written(opensPure, takesPure, takesPure)
	if _, err := followed([]line{skipped[0], skipped[2]}); err == nil || err.Error() != "event 1 is missing" {
		t.Errorf("got %v", err)
	}
	renumbered := written(opensPure, edit(takesPure, `{"reserve"`, `{"reserve"`, 1))
	body := edit(renumbered[1].body, `"sequence":1`, `"sequence":2`, 1)
	if _, err := followed([]line{renumbered[0], {1, body, chained(renumbered[0].hash, body)}}); err == nil || !strings.Contains(err.Error(), "its JSON has the number 2 instead") {
		t.Errorf("got %v", err)
	}
}

// opensBeside is an event that opens an account and records an earlier account for the same people.
var opensBeside = strings.TrimSuffix(opensPure, "}}") + "," + joins[1:len(joins)-1] + "}}"

// If there is another account for the same people, the statement of an account contains the sum of both
// budgets, whichever of the two was opened first.
func TestBeside(t *testing.T) {
	for _, c := range []struct {
		lines  []line
		beside bool
	}{
		{written(opensPure, takesPure), false},
		{written(opensPure, takesPure, joins, settles), true},
		{written(opensBeside, takesPure, settles), true},
	} {
		l, err := followed(c.lines)
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.statement()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Entries) != 1 || s.Limit.Epsilon.String() != "1" || (s.Beside != nil) != c.beside || (s.Together != nil) != c.beside {
			t.Errorf("%+v", s)
		}
		if c.beside && (s.Beside.Terms.Of != "y" || s.Together.Epsilon.String() != "3" || s.Together.Delta.String() != "0.000000001") {
			t.Errorf("%+v, %+v", s.Beside, s.Together)
		}
	}
}

// TestGuaranteeTimes checks that a guarantee with a part that occurs many times is decoded in few steps.
func TestGuaranteeTimes(t *testing.T) {
	one, err := privacy.NewPure(privacy.ReplaceOne, privacytest.Decimal(t, "0.001"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := repeated(one, 1_000_003)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := encodeGuarantee(g)
	if err != nil || len(encoded.Parts) != 1 || encoded.Parts[0].Times != 1_000_003 {
		t.Fatalf("%+v, %v", encoded, err)
	}
	text, err := json.Marshal(encoded)
	if err != nil {
		t.Fatal(err)
	}
	var back Guarantee
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := back.decode()
	if err != nil {
		t.Fatal(err)
	}
	epsilon, err := privacy.Epsilon(again, privacy.Decimal{})
	if err != nil || epsilon.Rat().Cmp(big.NewRat(1_000_003, 1000)) != 0 {
		t.Errorf("ε = %v, %v", epsilon, err)
	}
}

// TestWithoutDriver uses a program that links no database driver.
func TestWithoutDriver(t *testing.T) {
	t.Chdir(t.TempDir())
	terms := Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "x"}
	err := Create(context.Background(), "new.db", terms)
	if err == nil || err.Error() != `new.db: this program was built without the driver "sqlite"; build it without tags such as nosqlite, or import modernc.org/sqlite in it` {
		t.Errorf("got %v", err)
	}
	if _, err := Open(context.Background(), "new.db"); err == nil || !strings.Contains(err.Error(), "the database file does not exist; check its path, or create the account first") {
		t.Errorf("a file was left: %v", err)
	}
}
