// Package storetest starts a real PostgreSQL for tests, and for nothing else.
//
// It promises that the server listens on a socket in a folder of its own, that it
// ends with the test's process, and that every database is new and empty.
package storetest
