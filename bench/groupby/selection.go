package main

import (
	"fmt"
	"strconv"
	"strings"
)

// query returns the SQL query that groups the rows of a table or file by the categories of their values.
func (d data) query(table string) string {
	if d.columns == 0 {
		return fmt.Sprintf(selection, table)
	}
	var columns []string
	for j := range d.columns + 1 {
		columns = append(columns, strconv.Itoa(j+1))
	}
	return "SELECT *, COUNT(*) AS n FROM " + table + " GROUP BY " + strings.Join(columns, ", ")
}

// selection is the SQL query that groups the rows of made.People by the categories of their values.
const selection = `SELECT
	CASE WHEN age < 26 THEN 0 WHEN age < 36 THEN 1 WHEN age < 46 THEN 2 WHEN age < 61 THEN 3 ELSE 4 END,
	CASE WHEN hours < 35 THEN 0 WHEN hours < 41 THEN 1 ELSE 2 END,
	CASE work WHEN 'Private' THEN 0 WHEN 'Self-emp-inc' THEN 1 WHEN 'Self-emp-not-inc' THEN 2 ELSE 3 END,
	status, region, sex, outcome, COUNT(*) AS n
	FROM %s GROUP BY 1, 2, 3, 4, 5, 6, 7`
