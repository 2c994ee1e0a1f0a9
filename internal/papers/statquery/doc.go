// Package statquery implements statistical queries (Kearns 1998; Vadhan 2017, section 8.2), which ask for numbers of
// rows. Statistical answers such queries with noise, within a privacy budget. Elimination learns a conjunction from one
// query (Valiant 1984). Package learn defines the noise of answers (learn.AnswerNoise) and bounds it
// (learn.AnswerWidth).
package statquery
