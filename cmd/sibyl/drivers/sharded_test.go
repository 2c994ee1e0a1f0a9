package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// Shards are three PostgreSQL servers. The first has a table that is partitioned by the column shard. One partition is on
// the first server. The others are foreign tables, which refer to a table part on each of the other servers.
type shards struct {
	location string
	servers  []*sql.DB
}

// openShards opens the servers for tests, or skips the test.
func openShards(t *testing.T) *shards {
	t.Helper()
	urls := strings.Fields(os.Getenv("SIBYL_TEST_SHARDED"))
	if len(urls) != 3 {
		shareddata.Missing(t, "SIBYL_TEST_SHARDED does not name three PostgreSQL servers; .ci/sharded starts them")
	}
	s := new(shards)
	for i, server := range urls {
		location, db := ownDatabase(t, server, "")
		s.servers = append(s.servers, db)
		if i == 0 {
			s.location = location
			continue
		}
		u, err := url.Parse(location)
		if err != nil {
			t.Fatal(err)
		}
		execute(t, s.servers[0], "CREATE EXTENSION IF NOT EXISTS postgres_fdw",
			fmt.Sprintf("CREATE SERVER shard%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%s', dbname '%s', use_remote_estimate 'true', fetch_size '10000', async_capable 'true')", i, u.Port(), u.Path[1:]),
			fmt.Sprintf("CREATE USER MAPPING FOR CURRENT_USER SERVER shard%d OPTIONS (user 'sibyl', password 'unused')", i))
	}
	return s
}

// fill creates the table with the given columns, and inserts a third of the rows on each server.
func (s *shards) fill(t *testing.T, columns string, values []string) {
	t.Helper()
	first := s.servers[0]
	execute(t, first, "DROP TABLE IF EXISTS sharded", "CREATE TABLE sharded (shard int NOT NULL, "+columns+") PARTITION BY LIST (shard)",
		"CREATE TABLE sharded0 PARTITION OF sharded FOR VALUES IN (0)")
	for i, db := range s.servers {
		name := "sharded0"
		if i > 0 {
			name = "part"
			execute(t, db, "DROP TABLE IF EXISTS part", "CREATE TABLE part (shard int NOT NULL, "+columns+")")
			execute(t, first, fmt.Sprintf("CREATE FOREIGN TABLE sharded%d PARTITION OF sharded FOR VALUES IN (%[1]d) SERVER shard%[1]d OPTIONS (table_name 'part')", i))
		}
		var own []string
		for k := i; k < len(values); k += len(s.servers) {
			own = append(own, fmt.Sprintf("(%d, %s", i, values[k][1:]))
		}
		execute(t, db, "INSERT INTO "+name+" VALUES "+strings.Join(own, ", "), "ANALYZE "+name)
	}
	execute(t, first, "ANALYZE sharded")
}

// TestShardedCounts compares the answers of three servers with those of a table in memory with the same rows. The rows
// of a person are on several servers.
func TestShardedCounts(t *testing.T) {
	s := openShards(t)
	random := rand.New(rand.NewPCG(8, 10))
	for i := range heavy.Pick(6, 8) {
		c := drawCounted(200, []int{0, 0, 3}[i%3], random)
		s.fill(t, "person TEXT, ward VARCHAR(9), age INTEGER, price NUMERIC(9,2), ratio DOUBLE PRECISION, score SMALLINT, back BOOLEAN", c.values)
		want := c.inMemory(t)
		for _, query := range []string{"SELECT * FROM sharded", "SELECT person, ward, age, price, ratio, score, back FROM sharded WHERE shard >= 0"} {
			counts, end := openCounts(t, s.location, c.schema, query)
			tabletest.Agree(t, counts, tabletest.Scan{Table: want}, heavy.Pick(10, 20), uint64(i))
			end()
			if i%heavy.Pick(2, 1) == 0 {
				c.testRecords(t, s.location, query, tabletest.Scan{Table: want}, false)
			}
			got, err := source.Read(context.Background(), s.location, tabletest.Schema(t, c.schema), source.Options{Query: query})
			if err != nil || !got.Equal(want) {
				t.Errorf("%s: other records, %v", query, err)
			}
		}
	}
}
