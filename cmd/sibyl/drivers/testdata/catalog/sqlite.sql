CREATE TABLE wards (code TEXT PRIMARY KEY, title TEXT);
INSERT INTO wards VALUES ('m', 'Medicine'), ('s', 'Surgery');
CREATE TABLE visits_of_none (code TEXT);
CREATE TABLE patients (id INTEGER PRIMARY KEY);
CREATE TABLE visits (
  id INTEGER PRIMARY KEY,
  patient INTEGER NOT NULL REFERENCES patients(id),
  age INT CHECK (age BETWEEN 0 AND 120), -- CHECK (nothing)
  sex CHAR(1) NOT NULL CHECK (sex IN ('f', 'm')),
  grade TEXT CHECK (grade = 'good' OR grade = 'poor' OR grade = 'fair' OR grade IS NULL),
  ward TEXT REFERENCES wards(code),
  temperature DECIMAL(4,1) NOT NULL CHECK (temperature >= 30 AND 45 >= temperature),
  "a ""b""" REAL, mail TEXT UNIQUE, alive BOOLEAN, day DATE, raw BLOB, anything,
  note TEXT, doubled INT GENERATED ALWAYS AS (age * 2),
  CHECK (age > 10 OR temperature > 36), CHECK (length(note) < 50 AND patient > 0)
);
INSERT INTO visits (patient, sex, temperature, note) VALUES (99, 'f', 39.5, 'secret');
ANALYZE;
