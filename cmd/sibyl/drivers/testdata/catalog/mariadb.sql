CREATE TABLE wards (code VARCHAR(5) PRIMARY KEY, title TEXT);
INSERT INTO wards VALUES ('m', 'Medicine'), ('s', 'Surgery');
CREATE TABLE visits_of_none (code TEXT);
CREATE TABLE patients (id BIGINT PRIMARY KEY);
INSERT INTO patients VALUES (99);
CREATE TABLE visits (
  id INT AUTO_INCREMENT PRIMARY KEY,
  patient BIGINT NOT NULL, FOREIGN KEY (patient) REFERENCES patients(id),
  age TINYINT UNSIGNED COMMENT 'Age in years' CHECK (age BETWEEN 0 AND 120),
  sex CHAR(1) NOT NULL CHECK (sex IN ('f', 'm')),
  grade ENUM('good', 'poor', 'fair'),
  ward VARCHAR(5), FOREIGN KEY (ward) REFERENCES wards(code),
  temperature DECIMAL(4,1) NOT NULL,
  tags SET('x', 'it''s'), height DOUBLE, `a b` FLOAT, mail VARCHAR(50) UNIQUE, alive BOOLEAN, day DATE, born YEAR, raw BLOB,
  note TEXT,
  CONSTRAINT warm CHECK (temperature >= 30 AND temperature <= 45),
  CONSTRAINT strange CHECK (age > 10 OR temperature > 36)
) COMMENT 'Visits to the clinic';
INSERT INTO visits (patient, sex, temperature, note) VALUES (99, 'f', 39.5, 'secret');
