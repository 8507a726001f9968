package py

import (
	"strings"
	"testing"

	"palisade"
	"palisade/internal/analysis"
)

func TestTable(t *testing.T) {
	table := effectsTable()
	if len(table.effects) < 1000 {
		t.Errorf("%d symbols", len(table.effects))
	}
	for name, e := range table.effects {
		for _, u := range e.uses {
			if u.capability == "" {
				t.Errorf("%s: a use without a capability", name)
			}
		}
		if strings.ContainsAny(name, " ()=") {
			t.Errorf("%q is not a dotted name", name)
		}
	}
	for name := range table.models {
		if !strings.Contains(string(name), ".") {
			t.Errorf("model of %q: not a dotted name", name)
		}
	}
}

func TestLookup(t *testing.T) {
	table := effectsTable()
	for name, want := range map[string]palisade.Capability{
		"os.system": palisade.CapProcess, "os.remove": palisade.CapDeletePath, "ctypes.anything": palisade.CapNative,
		"ctypes.util.find_library": palisade.CapNative, "pandas.io.parsers.readers.read_csv": palisade.CapReadPath,
		"numpy.lib.npyio.save": palisade.CapWritePath, "subprocess.Popen": palisade.CapProcess,
		"pathlib.Path.unlink": palisade.CapDeletePath, "sys.modules": palisade.CapIntrospect,
	} {
		e, ok := table.lookup(name)
		if !ok || len(e.uses) == 0 || e.uses[0].capability != want {
			t.Errorf("%s: %+v, want %s", name, e, want)
		}
	}
	for _, name := range []string{"math.sqrt", "subprocess.PIPE", "os.path.join", "socket.AF_INET", "numpy.array", "json.loads", "ctypes"} {
		if e, ok := table.lookup(name); ok && len(e.uses) > 0 {
			t.Errorf("%s has %+v", name, e.uses)
		}
	}
}

// TestReexports: what a module exposes is resolved to its home.
func TestReexports(t *testing.T) {
	e := reexports()
	if !strings.HasPrefix(ReexportVersions(), "python 3.") || !strings.Contains(ReexportVersions(), "numpy") {
		t.Errorf("versions %q", ReexportVersions())
	}
	for _, c := range []struct {
		mod, attr string
		want      object
	}{
		{"random", "_os", module("os")},
		{"http.server", "shutil", module("shutil")},
		{"numpy.ctypeslib", "ctypes", module("ctypes")},
		{"pandas.io.common", "os", module("os")},
		{"os", "path", module("os.path")},
		{"os", "system", symbol("os.system")},
		{"random", "_urandom", symbol("os.urandom")},
		{"numpy", "random", module("numpy.random")},
		{"numpy", "array", symbol("numpy.array")},
		{"datetime", "datetime", symbol("datetime.datetime")},
		{"threading", "_start_new_thread", symbol("threading._start_new_thread")},
		{"unittest", "main", symbol("unittest.main")},
		{"unheard.of", "subprocess", module("subprocess")},
		{"unheard.of", "_os", module("os")},
		{"unheard.of", "random", symbol("unheard.of.random")},
		{"pandas.of.a.later.version", "os", module("os")},
		{"copy", "copy", symbol("copy.copy")},
		{"json", "codecs", module("codecs")},
	} {
		if got, _ := e.attribute(c.mod, c.attr); got != c.want {
			t.Errorf("%s.%s is %T %v, want %T %v", c.mod, c.attr, got, got, c.want, c.want)
		}
	}
}

func TestMetadataHost(t *testing.T) {
	for s, want := range map[string]string{
		"http://169.254.169.254/latest": "169.254.169.254", "169.254.169.254": "169.254.169.254",
		"http://[fd00:ec2::254]/": "fd00:ec2::254", "METADATA.google.internal": "metadata.google.internal",
		"1169.254.169.2540": "", "http://example.com": "", "my-instance-data": "", "x2852039166": "",
		"1169.254.169.254 or 169.254.169.254": "169.254.169.254", "http://İnstance-data/": "instance-data", "Instance-Data": "instance-data",
		"64:FF9B::A9FE:A9FE": "64:ff9b::a9fe:a9fe", "169.254.169.254_": "", "Z169.254.169.254": "", "_0xA9FEA9FE": "", "0xA9FEA9FE": "0xa9fea9fe",
		"::ffff:169.254.169.254": "169.254.169.254", "-data": "", ".google.internal": "", "ce-data": "",
	} {
		if got := analysis.MetadataHost(s); got != want {
			t.Errorf("MetadataHost(%q) = %q, want %q", s, got, want)
		}
	}
}
