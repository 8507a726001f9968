// Package rootfs makes what the root of a box is made of.
//
// It does: find the configured interpreters (never through PATH), collect what a
// language's programs run on (Python's library and the distribution's packages;
// bash and a list of commands; Node.js; for the latter two Python with its
// library alone, which supervises them), the loader and the closure of shared
// libraries that these need (from the ELF headers), time zones, a locale and
// fonts, add a synthetic /etc, and write all of it as one read-only EROFS
// image, one for each language. [Open] reuses an image until a directory, program
// or library that went into it changes on the host.
//
// It promises: only files that any user of the host may read go in; no start-up
// hook (.pth, sitecustomize), installer or module that talks to services of the
// host goes in; a file's modification time is kept, so that compiled modules
// stay valid; [Image.Digest] covers every byte, name, mode and time; the box
// sees no file of the host itself, only a copy of it.
//
// An image that was written to after it was built is not used; [Image.Verify]
// holds every byte to the digest.
//
// It does not mount anything, and it needs no privilege.
package rootfs
