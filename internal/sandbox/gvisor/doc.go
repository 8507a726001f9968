// Package gvisor makes boxes whose kernel is gVisor's, embedded in this program.
package gvisor
