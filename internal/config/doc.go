// Package config is one documented struct, and where its values come from.
//
// In this order, later ones over earlier ones: defaults, the machine's file
// (/etc/palisade/config.yaml), the state folder's config.yaml or the file that
// was named, PALISADE_* variables, flags ([Config.Set]). A file is strict YAML:
// unknown keys, duplicate keys and values of the wrong form are errors with a
// place and what to do. [Config.Show] prints what is in effect and where each
// value came from.
//
// It promises that approvals.self is taken only from a file that nobody but
// root can write or replace.
//
// It does not read policy files, open the log or start anything.
package config
