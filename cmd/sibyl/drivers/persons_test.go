package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

const staysSchema = `
[person]
column = "patient"
most = %d
[label]
column = "back"
positive = ["true"]
negative = ["false"]
[[attribute]]
column = "ward"
values = ["a", "b"]
[[attribute]]
column = "age"
cuts = [18, 65]
`

// stays returns the same rows as SQL values and as CSV lines. Each of the patients has 1 to 9 rows. Some rows are equal,
// some are null, and two rows have no patient.
func stays(patients int, random *rand.Rand) (values, lines []string) {
	for i := range patients {
		for range 1 + random.IntN(9) {
			ward, age, back := string("ab?"[random.IntN(3)]), []string{"7", "17.5", "30", "80"}[random.IntN(4)], fmt.Sprint(random.IntN(2) == 0)
			values = append(values, fmt.Sprintf("('p %d', '%s', %s, %s)", i, ward, age, back))
			lines = append(lines, fmt.Sprintf("p %d,%s,%s,%s", i, ward, age, back))
		}
	}
	values = append(values, "('', 'a', 7, true)", "(NULL, 'a', 7, true)")
	lines = append(lines, ",a,7,true", ",a,7,true")
	random.Shuffle(len(lines), func(i, j int) {
		values[i], values[j] = values[j], values[i]
		lines[i], lines[j] = lines[j], lines[i]
	})
	return values, lines
}

// units returns the counts of a table by record and label. The key "null" has the count of null rows.
func units(t *table.Table) map[string]int64 {
	sum := map[string]int64{"null": t.Nulls()}
	for i := range t.Len() {
		sum[fmt.Sprint(t.Record(i, nil), t.Label(i))] = t.Count(i)
	}
	return sum
}

// If a person has more rows than count, a database keeps the same rows as a file, and this does not depend on the order
// of the rows. A person's contribution depends only on this person's rows, and every person has the same weight.
func TestPersonsInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	testPersons(t, location, openReadOnly(t, location), func(statement string) error {
		_, err := db.Exec(statement)
		return err
	})
}

func TestPersonsInSQLite(t *testing.T) {
	inDirectory(t)
	db, err := sql.Open("sqlite", "file:stays.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	testPersons(t, "sqlite:stays.db", nil, func(statement string) error {
		_, err := db.Exec(statement)
		return err
	})
}

func TestPersonsInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	there := strings.NewReplacer("age numeric, back boolean", "age decimal(5,1), back varchar(5)", ", true)", ", 'true')", ", false)", ", 'false')")
	testPersons(t, location, nil, func(statement string) error {
		_, err := db.Exec(there.Replace(statement))
		return err
	})
}

// testPersons reads from db, or from the location if db is nil.
func testPersons(t *testing.T, location string, db *sql.DB, execute func(statement string) error) {
	const patients = 15
	values, lines := stays(patients, rand.New(rand.NewPCG(1, 2)))
	shuffled := append([]string{}, values...)
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	own := fmt.Sprint("stays_", os.Getpid())
	for name, rows := range map[string][]string{own: values, own + "_again": shuffled} {
		for _, statement := range []string{
			"DROP TABLE IF EXISTS " + name,
			"CREATE TABLE " + name + " (patient varchar(20), ward text, age numeric, back boolean)",
			"INSERT INTO " + name + " VALUES " + strings.Join(rows, ", "),
		} {
			if err := execute(statement); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { execute("DROP TABLE " + name) })
	}
	for _, most := range []int{1, 2, 3, 10} {
		s := tabletest.Schema(t, fmt.Sprintf(staysSchema, most))
		read := func(query string) *table.Table {
			t.Helper()
			got, err := source.Read(context.Background(), location, s, source.Options{DB: db, Query: query})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		all := read("SELECT * FROM " + own)
		text := "patient,ward,age,back\n" + strings.Join(lines, "\n") + "\n"
		file, err := source.Read(context.Background(), "-", s, source.Options{Stdin: strings.NewReader(text)})
		if err != nil {
			t.Fatal(err)
		}
		if !all.Equal(file) {
			t.Errorf("most %d: not as in a file", most)
		}
		if all.Rows() != patients || !all.Equal(read("SELECT * FROM "+own+"_again")) {
			t.Errorf("most %d: %d persons, or others in another order", most, all.Rows())
		}
		sum := map[string]int64{"null": 0}
		for i := range patients {
			query := fmt.Sprintf("SELECT * FROM %s WHERE patient = 'p %d'", own, i)
			alone := read(query)
			total := int64(0)
			for key, n := range units(alone) {
				sum[key] += n
				total += n
			}
			if total != s.Weight() || alone.Len() > most {
				t.Errorf("most %d: a person weighs %d units in %d records", most, total, alone.Len())
			}
			once := tabletest.Schema(t, fmt.Sprintf(staysSchema, 10))
			whole, err := source.Read(context.Background(), location, once, source.Options{DB: db, Query: query})
			if err != nil {
				t.Fatal(err)
			}
			has := units(whole)
			for key, n := range units(alone) {
				if n > 0 && has[key] == 0 {
					t.Errorf("most %d: %s is no row of this person", most, key)
				}
			}
		}
		if got := units(all); fmt.Sprint(got) != fmt.Sprint(sum) {
			t.Errorf("most %d: %v together, %v apart", most, got, sum)
		}
	}
}

// The rows that PostgreSQL keeps of a person are distributed like a random sample of this person's rows, in which equal
// rows are separate rows. They are selected by a fixed hash, so this test cannot fail by chance.
func TestPersonsDrawnInPostgres(t *testing.T) {
	location, _ := openPostgres(t)
	s := tabletest.Schema(t, fmt.Sprintf(staysSchema, 1))
	got, err := source.Read(context.Background(), location, s, source.Options{Query: "SELECT 'p' || i AS patient, CASE WHEN k = 0 THEN 'b' ELSE 'a' END AS ward, 30 AS age, true AS back FROM generate_series(1, 4000) AS i, generate_series(0, 3) AS k"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() != 2 || got.Count(1) < 900 || got.Count(1) > 1100 {
		t.Errorf("the single row is kept %d times in 4000, want about 1000", got.Count(1))
	}
	if _, err := source.Read(context.Background(), location, s, source.Options{Query: "SELECT 'a' AS ward, 30 AS age, true AS back"}); err == nil || !strings.Contains(err.Error(), "the query's result lacks column \"patient\"") {
		t.Errorf("%v", err)
	}
}
