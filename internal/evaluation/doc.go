// Package evaluation presents how well a model predicts the labels of a table. The numbers are exact for the curator,
// or they are private estimates. They are written as text, as a page with drawings, or as the file of a released
// evaluation.
package evaluation
