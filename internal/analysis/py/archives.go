package py

import (
	"strings"

	"palisade"
	"palisade/internal/analysis"
	"palisade/internal/python"
)

// A member of a tar archive may be named "../x" or "/etc/x", and before
// Python 3.14 such a name is followed unless a filter is given. An archive that
// the program itself wrote holds what it put in. Source: Python Library
// Reference, "tarfile", "Extraction filters".

// archived notes an archive that the program writes.
func (in *interp) archived(s symbol, args callArgs) {
	var names []string
	switch s {
	case "tarfile.open", "tarfile.TarFile", "tarfile.TarFile.open":
		if _, write := fileMode(args.get(1, "mode")); write {
			names, _ = args.get(0, "name").strings()
		}
	case "tarfile.TarInfo":
		in.member(args.get(0, "name"))
	case "shutil.make_archive":
		bases, _ := args.get(0, "base_name").strings()
		for _, base := range bases {
			for _, ending := range []string{".tar", ".tar.gz", ".tar.bz2", ".tar.xz"} {
				names = append(names, base+ending)
			}
		}
	}
	for _, name := range names {
		in.archives[analysis.Path(name)] = true
	}
}

// member notes a member of an archive that has a name of its own.
func (in *interp) member(name val) {
	names, other := name.strings()
	for _, s := range names {
		other = other || strings.HasPrefix(s, "/") || strings.Contains("/"+s+"/", "/../")
	}
	in.strangeMembers = in.strangeMembers || other
}

// unpacks reports that an archive is unpacked which may write anywhere.
func (in *interp) unpacks(n python.Node, s symbol, archive val, args callArgs) {
	if f := args.named("filter"); f.size() == 1 && !f.open && (f.has(cStr("data")) || f.has(cStr("tar"))) {
		return
	}
	names, other := archive.strings()
	for _, name := range names {
		isTar := s != "shutil.unpack_archive" || strings.Contains(name, ".tar") || strings.HasSuffix(name, ".tgz")
		other = other || isTar && (in.strangeMembers || !in.archives[analysis.Path(name)])
	}
	if !other && len(names) > 0 {
		return
	}
	in.report(n, analysis.Fact{
		Capability: palisade.CapWritePath, Symbol: string(s), Unknown: true,
		Evidence: "a member of an archive may be named outside the folder; filter='data' forbids it",
	})
}
