package main

// selection groups people in SQL by the categories of people.Schema.
const selection = `SELECT
	CASE WHEN age < 26 THEN 0 WHEN age < 36 THEN 1 WHEN age < 46 THEN 2 WHEN age < 61 THEN 3 ELSE 4 END,
	CASE WHEN hours < 35 THEN 0 WHEN hours < 41 THEN 1 ELSE 2 END,
	CASE work WHEN 'Private' THEN 0 WHEN 'Self-emp-inc' THEN 1 WHEN 'Self-emp-not-inc' THEN 2 ELSE 3 END,
	status, region, sex, outcome, COUNT(*)
	FROM %s GROUP BY 1, 2, 3, 4, 5, 6, 7`
