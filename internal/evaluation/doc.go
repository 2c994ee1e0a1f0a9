// Package evaluation presents how well a model predicts the labels of a table, exactly for the curator
// or as private estimates: as text, as a page with drawings, and as the file of a released evaluation.
package evaluation
