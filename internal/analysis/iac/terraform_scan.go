package iac

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Bounds of what HCL's parser is shown. It recurses for each bracket, template,
// unary operator and "?". And it puts the pieces of a text together one by one
// (a piece for each line of a here-document and each "$"), copying what it has:
// 83,000 short lines take 8 s, and 10⁹ bytes copied about 0.8 s (v2.25.0).
const (
	maxUnary       = 50
	maxConditional = 1_000
	maxDirectives  = 1_000
	maxStars       = 20_000 // splats, each of which holds the one before
	maxCopied      = 1_200_000_000
)

// scanConfig refuses a file that could overflow or stall the parser.
func scanConfig(source string) error {
	tokens, _ := hclsyntax.LexConfig([]byte(source), "", hcl.InitialPos)
	return scanTokens(tokens)
}

// scanTemplate does the same for a template that stands in a JSON string.
func scanTemplate(source string) error {
	tokens, _ := hclsyntax.LexTemplate([]byte(source), "", hcl.InitialPos)
	return scanTokens(tokens)
}

// scanTokens counts what the parser would recurse on. The lexer does not.
func scanTokens(tokens hclsyntax.Tokens) error {
	depth, unary, conditionals, directives, stars := 0, 0, 0, 0, 0
	run, copied := 0, 0 // bytes of the pieces of one text, and of what was copied
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
			depth++
		case hclsyntax.TokenTemplateControl:
			depth++
			directives++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenQuestion:
			conditionals++
		case hclsyntax.TokenStar:
			stars++
		}
		if t.Type == hclsyntax.TokenStringLit || t.Type == hclsyntax.TokenQuotedLit {
			run += len(t.Bytes)
			copied += run
		} else {
			run = 0
		}
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus:
			unary++
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
		default:
			unary = 0
		}
		switch {
		case depth > maxDepth:
			return errors.New("nested deeper than what is read")
		case unary > maxUnary, conditionals > maxConditional, directives > maxDirectives, stars > maxStars, copied > maxCopied:
			return errBudget
		}
	}
	return nil
}
