package table

// Asks is what a release will ask of private data. It follows from public facts alone, so that
// who cannot answer refuses before anything is charged or read.
type Asks struct {
	Records bool    // the records themselves: nothing less will do
	Columns [][]int // sub-tables of these lists of columns, by codes or by cells of them
	Any     int     // conjunctions, and sub-tables, of any columns, at most so many; 0: none
	Totals  bool    // totals of cards
}
