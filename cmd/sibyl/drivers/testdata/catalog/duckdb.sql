CREATE TABLE wards (code VARCHAR PRIMARY KEY, title VARCHAR);
INSERT INTO wards VALUES ('m', 'Medicine'), ('s', 'Surgery');
CREATE TABLE visits_of_none (code VARCHAR);
CREATE TABLE patients (id BIGINT PRIMARY KEY);
INSERT INTO patients VALUES (99);
CREATE TYPE grade AS ENUM ('good', 'poor', 'fair');
CREATE TABLE visits (
  id INTEGER PRIMARY KEY,
  patient BIGINT NOT NULL REFERENCES patients(id),
  age UTINYINT CHECK (age BETWEEN 0 AND 120),
  sex VARCHAR NOT NULL CHECK (sex IN ('f', 'm')),
  grade grade,
  ward VARCHAR REFERENCES wards(code),
  temperature DECIMAL(4,1) NOT NULL CHECK (temperature >= 30 AND temperature <= 45),
  height DOUBLE, "a ""b""" FLOAT, mail VARCHAR UNIQUE, alive BOOLEAN, day DATE, raw BLOB, tags VARCHAR[],
  note VARCHAR,
  CHECK (age > 10 OR temperature > 36)
);
COMMENT ON COLUMN visits.age IS 'Age in years';
INSERT INTO visits (id, patient, sex, temperature, note) VALUES (1, 99, 'f', 39.5, 'secret');
