// Package workbook reads the cells of .xlsx workbooks (Office Open XML Workbook, ECMA-376 part 1, section 18), row by
// row, by means of the standard library. It keeps only the workbook's table of shared texts in memory.
//
// Numbers become the shortest decimals without exponent that round to them, since a workbook stores numbers as
// floating-point numbers of 64 bits and writes up to 17 digits of them. Numbers in cells with a number format of dates or times become dates
// such as 2006-01-02, instants such as 2006-01-02T15:04:05, or times of day such as 15:04:05. Booleans become TRUE and
// FALSE. Formulas are not evaluated: their stored values are read.
//
// Errors are sentences without the name of the file. They quote neither cells nor names of sheets.
package workbook
