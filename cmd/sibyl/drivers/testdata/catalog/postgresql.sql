CREATE SCHEMA catalog;
CREATE TABLE catalog.wards (code text PRIMARY KEY, title text);
INSERT INTO catalog.wards VALUES ('m', 'Medicine'), ('s', 'Surgery');
CREATE TABLE catalog.visits_of_none (code text);
CREATE TABLE catalog.patients (id bigint PRIMARY KEY);
INSERT INTO catalog.patients VALUES (99);
CREATE TYPE catalog.grade AS ENUM ('good', 'poor', 'fair');
CREATE DOMAIN catalog.years AS integer CHECK (VALUE >= 0);
CREATE DOMAIN catalog.age AS catalog.years CHECK (VALUE <= 120);
CREATE DOMAIN catalog.sex AS varchar(1) NOT NULL CHECK (VALUE IN ('f', 'm'));
CREATE TABLE catalog.visits (
  id serial PRIMARY KEY,
  patient bigint NOT NULL REFERENCES catalog.patients,
  age catalog.age,
  sex catalog.sex,
  grade catalog.grade,
  ward text REFERENCES catalog.wards,
  temperature numeric(4,1) NOT NULL CHECK (temperature BETWEEN 30 AND 45),
  height double precision CHECK (height > 0.5),
  level smallint CHECK (level > -3 AND level < 3),
  dose integer CHECK (dose IN (1, 5, 20)),
  status varchar(10) CHECK (status = 'open' OR status = 'closed'),
  "a ""b""" real, mail text UNIQUE, alive boolean NOT NULL, day date, seen timestamptz, raw bytea, tags text[], code uuid, extra jsonb,
  note text CHECK (note <> ''),
  CHECK (age > 10 OR temperature > 36)
);
COMMENT ON TABLE catalog.visits IS 'Visits to the clinic';
COMMENT ON COLUMN catalog.visits.age IS 'Age in years';
INSERT INTO catalog.visits (patient, sex, temperature, alive, note) VALUES (99, 'f', 39.5, true, 'secret');
ANALYZE catalog.visits;
