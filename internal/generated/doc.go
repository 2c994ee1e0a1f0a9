// Package generated generates random tables for trials. A generated table depends only on public parameters, such as
// a schema and a number of rows. So anything computed from it is public, and says nothing about real people.
package generated
