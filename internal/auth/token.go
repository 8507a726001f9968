package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"math/big"
	"strings"
)

// A token is pal_<id>_<secret>: the ID is told in lists and on the record, the
// secret is 32 random bytes. Both are in base 62, of a fixed length, so that
// whoever scans files for secrets finds them by their form.
const (
	tokenMark    = "pal"
	idLength     = 12 // 71 bits
	secretLength = 43 // 256 bits
	digits       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newToken returns a key's ID, its secret and the token that holds both.
func newToken(id string) (newID, secret, token string) {
	if id == "" {
		id = base62(9, idLength)
	}
	secret = base62(32, secretLength)
	return id, secret, tokenMark + "_" + id + "_" + secret
}

// base62 returns n random bytes as digits, the lowest first.
func base62(n, length int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // ends the process rather than return bad bytes
	base := big.NewInt(int64(len(digits)))
	value, digit := new(big.Int).SetBytes(raw), new(big.Int)
	out := make([]byte, length)
	for i := range out {
		value.DivMod(value, base, digit)
		out[i] = digits[digit.Int64()]
	}
	return string(out)
}

// parseToken takes a token apart.
func parseToken(token string) (id, secret string, ok bool) {
	if len(token) > 200 {
		return "", "", false
	}
	parts := strings.Split(token, "_")
	if len(parts) != 3 || parts[0] != tokenMark || !isID(parts[1]) || !base62Of(parts[2], secretLength) {
		return "", "", false
	}
	return parts[1], parts[2], true
}

func isID(id string) bool { return base62Of(id, idLength) }

func base62Of(text string, length int) bool {
	return len(text) == length && strings.Trim(text, digits) == ""
}

// hashOf is all that is kept of a secret.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// matches compares a secret with hashes, each in the same time whatever they are.
func matches(secret string, hashes []string) bool {
	given, found := hashOf(secret), 0
	for _, h := range hashes {
		found |= subtle.ConstantTimeCompare([]byte(given), []byte(h))
	}
	return found == 1
}
