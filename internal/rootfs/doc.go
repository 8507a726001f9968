// Package rootfs makes what the root of a box is made of.
//
// It does: find the configured interpreter (never through PATH), collect its
// standard library, the distribution's packages, the loader and the closure of
// shared libraries that these need (from the ELF headers), time zones, a locale
// and fonts, add a synthetic /etc, and write all of it as one read-only EROFS
// image. [Open] reuses an image until a directory or library that went into it
// changes on the host.
//
// It promises: only files that any user of the host may read go in; no start-up
// hook (.pth, sitecustomize), installer or module that talks to services of the
// host goes in; a file's modification time is kept, so that compiled modules
// stay valid; [Image.Digest] covers every byte, name, mode and time; the box
// sees no file of the host itself, only a copy of it.
//
// It does not mount anything, and it needs no privilege.
package rootfs
