// Package secret finds credentials that stand in clear in a text: code, a
// prompt, a file.
//
// Its rules are gitleaks' own (rules.json is made from the default
// configuration of the version in go.mod; see TestRulesAreGitleaks), applied as
// gitleaks applies them: keywords first, then the expression, then entropy and
// what is allowed. What an author can write to be passed over, such as
// "gitleaks:allow", is not heeded.
//
// It promises work linear in the text, and that what it reports of a credential
// does not hold it; Search.Secrets does, to mask them elsewhere.
// It does not find credentials without a shape, and does not look into encoded
// text.
package secret
