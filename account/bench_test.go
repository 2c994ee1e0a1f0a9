package account

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFollow replays an account with many entries, without a database.
func BenchmarkFollow(b *testing.B) {
	reserves := strings.NewReplacer("0.4", "0.000001").Replace(takesPure)
	lines := written(opensPure)
	for i := range 1000 {
		for j, body := range []string{reserves, strings.Replace(settles, "1", fmt.Sprint(i+1), 1)} {
			n := int64(1 + 2*i + j)
			body = strings.Replace(body, "{", fmt.Sprintf(`{"sequence":%d,"time":"",`, n), 1)
			lines = append(lines, line{n, body, chained(lines[n-1].hash, body)})
		}
	}
	for b.Loop() {
		if _, err := followed(lines); err != nil {
			b.Fatal(err)
		}
	}
}
