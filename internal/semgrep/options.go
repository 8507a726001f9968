package semgrep

// options are those of a rule that change how its patterns match. The zero
// options are not those of Semgrep: take defaults. Source: Semgrep's
// rule_options.
type options struct {
	acMatching      bool // `a and b and c` is one list
	commutativeBool bool // `and` and `or` in any order
	symmetricEq     bool // `a == b` is `b == a`
	constants       bool // a name stands for its constant
	symbolic        bool // a name bound once stands for its expression

	// Taint.
	safeFunctions   bool // a call's result is clean, whatever its arguments
	safeIndexes     bool // `a[tainted]` is clean
	safeNumbers     bool // so are numbers,
	safeBooleans    bool // booleans
	safeComparisons bool // and the results of comparisons
	onlyAssignments bool // data goes through assignments only
	focusSource     bool // a match is where the data comes from
	unifyMvars      bool // metavariables of source and sink agree
}

func defaults() options { return options{acMatching: true, constants: true} }
