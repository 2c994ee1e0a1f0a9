package noise_test

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// Release a count of sensitivity 1 with ε = 1/10: add Laplace noise of scale 10. A real release
// uses Crypto instead of Insecure.
func Example() {
	coins := noise.Insecure(1) // for reproducible output only
	count := big.NewInt(15682)
	law := noise.Laplace{Scale: big.NewRat(10, 1)}
	fmt.Println(law, new(big.Int).Add(count, coins.Draw(law)))
	// Output: Laplace(10) 15688
}

func ExampleCube() {
	law := noise.Cube{Dim: 5, A: big.NewRat(1, 20)}
	fmt.Println(law, law.Sample(noise.Insecure(1)))
	// Output: Cube(5, 1/20) [22 -41 52 9 -4]
}

func ExampleExpInterval() {
	lo, hi := noise.ExpInterval(big.NewRat(1, 2), 32)
	fmt.Printf("%v/2^32 ≤ exp(-1/2) ≤ %v/2^32\n", lo, hi)
	// Output: 2605029347/2^32 ≤ exp(-1/2) ≤ 2605029348/2^32
}

func ExampleExpIntervalRelative() {
	lo, hi, e := noise.ExpIntervalRelative(big.NewRat(1000, 1), 32)
	fmt.Printf("%v·2^%d ≤ exp(-1000) ≤ %v·2^%d\n", lo, e, hi, e)
	// Output: 2652966130·2^-1474 ≤ exp(-1000) ≤ 2652966131·2^-1474
}
