package shell

import (
	"strings"
	"testing"
)

// TestTables holds each row to its own notation: a letter that means nothing,
// a special function that is not there or a command that stands twice is a
// fault that no program would show.
func TestTables(t *testing.T) {
	const roles = "_rwbdplkivsxfnceyDN"
	seen := map[string]bool{}
	for _, table := range tables() {
		for line := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
			names, words, _ := strings.Cut(strings.TrimSpace(line), " ")
			for name := range strings.SplitSeq(names, ",") {
				if name == "" || seen[name] {
					t.Errorf("%q: no name, or it stands twice", name)
				}
				seen[name] = true
			}
			r := parseRow(words)
			for _, role := range append(r.first, r.rest, r.last, r.none) {
				if role != 0 && strings.IndexByte(roles, role) < 0 {
					t.Errorf("%s: the role %q means nothing", names, role)
				}
			}
			for name, o := range r.options {
				if o.role != 0 && strings.IndexByte(roles, o.role) < 0 || o.changes != 0 && strings.IndexByte(roles, o.changes) < 0 {
					t.Errorf("%s %s: the role %q or %q means nothing", names, name, o.role, o.changes)
				}
				if len(name) < 2 {
					t.Errorf("%s: the option %q says nothing", names, name)
				}
			}
			if r.special != "" && special(r.special) == nil {
				t.Errorf("%s: no function %q", names, r.special)
			}
		}
	}
	if len(seen) < 1000 {
		t.Errorf("%d commands, there were more than a thousand", len(seen))
	}
}

func TestCommands(t *testing.T) {
	expect(t, map[string]string{
		"cp a b c":                             "read_path /work/a; read_path /work/b; write_path /work/c; -read_path /work/c",
		"cp -t d a":                            "read_path /work/a; write_path /work/d",
		"cp -rvt d a":                          "read_path /work/a; write_path /work/d",
		"cp --target-directory=d a":            "read_path /work/a; write_path /work/d",
		"cp --target=d a":                      "read_path /work/a; write_path /work/d",
		"cp -- -a b":                           "read_path /work/-a; write_path /work/b",
		"mv a b":                               "write_path /work/a; write_path /work/b; -delete_path",
		"rm -rf a b":                           "delete_path /work/a; delete_path /work/b",
		"rm -- -rf":                            "delete_path /work/-rf",
		"sort -o out in":                       "write_path /work/out; read_path /work/in",
		"sort -oout in":                        "write_path /work/out",
		"sort -k2 -t, in":                      "read_path /work/in; -read_path /work/2",
		"sort -T /x in":                        "write_path /x",
		"grep -e a b":                          "read_path /work/b",
		"grep a b":                             "read_path /work/b; -read_path /work/a",
		"grep -A 3 a b":                        "read_path /work/b; -read_path /work/3; -read_path /work/a",
		"grep -f p b":                          "read_path /work/p; read_path /work/b",
		"ls":                                   "read_path /work",
		"ls -la /x":                            "read_path /x; -read_path /work",
		"sed s/a/b/ f":                         "read_path /work/f; -write_path",
		"sed -i s/a/b/ f":                      "write_path /work/f",
		"sed -i.bak s/a/b/ f":                  "write_path /work/f",
		"sed -ne 's/a/b/' f":                   "read_path /work/f; -write_path",
		"sed 's/a/b/w out' f":                  "write_path /work/out",
		"sed '/x/w out' f":                     "write_path /work/out",
		"sed 's|a|b|; r in' f":                 "read_path /work/in",
		"sed 's/[/]/e/' f":                     "-evaluate; -unresolved",
		"sed -E 's/(a|b)+$/x/g;y/ab/cd/;5q' f": "-unresolved; -write_path",
		"sed '1i\\text' f":                     "-unresolved",
		"awk '{ print $1 }' f":                 "read_path /work/f; -unresolved; -write_path",
		"awk '$1 > 3' f":                       "-write_path",
		"awk '{ print > \"out\" }' f":          "write_path /work/out",
		"awk '{ print $1 > $2 }' f":            "write_path ?",
		"awk '{ if (a > b) print }' f":         "-write_path",
		"awk '/a|b/ { x = 4 / 2 }' f":          "-unresolved; -process b",
		"awk '{ print | \"sort\" }' f":         "process sort",
		"awk 'BEGIN { system(\"ls \" x) }'":    "process ls …",
		"find a -name b":                       "read_path /work/a; -read_path /work/b",
		"find a -delete":                       "delete_path /work/a?",
		"find . -exec cat {} \\;":              "read_path /work?",
		"find . -newer a -fprint b":            "read_path /work/a; write_path /work/b",
		"tar cf a b":                           "write_path /work/a; read_path /work/b",
		"tar -xzf a -C b":                      "read_path /work/a; write_path /work/b",
		"tar tf a":                             "read_path /work/a; -write_path",
		"tar -C /x -cf a b":                    "read_path /x/b; write_path /work/a",
		"dd if=a of=b bs=1":                    "read_path /work/a; write_path /work/b",
		"tee -a x":                             "write_path /work/x",
		"curl -o x -d @y http://h/":            "write_path /work/x; read_path /work/y; network http://h/",
		"curl -F a=@y h":                       "read_path /work/y; network h",
		"curl -d a@b h":                        "network h",
		"curl -u a:b h":                        "credential a:b",
		"curl -sSLo x h":                       "write_path /work/x; network h",
		"curl -x p:1 h":                        "network p:1; network h",
		"wget -O x -P d h/y":                   "write_path /work/x; write_path /work/d; network h",
		"wget h/y":                             "write_path /work/y; network h",
		"ssh u@h ls":                           "network h; process ls",
		"scp a u@h:b":                          "read_path /work/a; network h",
		"scp u@h:b a":                          "write_path /work/a; network h",
		"rsync -a --delete a/ b/":              "read_path /work/a; write_path /work/b; delete_path /work/b",
		"git clone https://h/x d":              "network https://h/x; write_path /work/d",
		"git clone git@h:x":                    "network h",
		"git clean -fd":                        "delete_path /work",
		"git -C d log":                         "read_path /work/d; -network",
		"git push":                             "network ?",
		"kill -9 5":                            "kill 5; -kill -9",
		"chmod 644 a":                          "write_path /work/a; -privilege",
		"chmod -R u+rwx,g+s a":                 "privilege u+rwx,g+s a; write_path /work/a",
		"sudo -u x cat a":                      "privilege; read_path /work/a; -read_path /work/x",
		"env A=1 cat a":                        "read_path /work/a",
		"env -u A cat a":                       "read_path /work/a; -read_path /work/A",
		"timeout -k 1 5 cat a":                 "read_path /work/a; -read_path /work/5",
		"nice -n 5 cat a":                      "read_path /work/a",
		"xargs -n 1 cat < l":                   "read_path ?; read_path /work/l",
		"echo a b | xargs cat":                 "read_path /work/a; read_path /work/b",
		"echo a | xargs -I% cp % %.bak":        "read_path /work/a; write_path /work/a.bak",
		"sqlite3 x.db 'select 1'":              "write_path /work/x.db",
		"python3 -m http.server":               "listen http.server",
		"gcc -o x a.c":                         "write_path /work/x; read_path /work/a.c",
		"docker run -v /x:/y i":                "privilege; read_path /x; write_path /x",
		"nc -l 80":                             "listen 80",
		"nc h 80":                              "network h:80",
		"socat - TCP:h:80":                     "network h:80",
		"openssl s_client -connect h:1":        "network h:1",
		"pip install x":                        "install install x",
		"pip list":                             "-install",
		"frob /x":                              "unresolved frob /x; write_path /x; process frob /x",
		"./a b":                                "run_file /work/a; process a b",
		"/bin/cat a":                           "read_path /work/a; -run_file",
		"base64 -d f | sh":                     "obfuscation; unresolved ?",
		"ln -s a b":                            "read_path /work/a; write_path /work/b",
	})
}

func TestRedirections(t *testing.T) {
	expect(t, map[string]string{
		"cat < a":                      "read_path /work/a",
		"echo x > a":                   "write_path /work/a",
		"echo x >> a":                  "write_path /work/a",
		"echo x >| a":                  "write_path /work/a",
		"echo x &> a":                  "write_path /work/a",
		"echo x >& a":                  "write_path /work/a",
		"echo x >&2":                   "-write_path",
		"echo x 2>&1":                  "-write_path",
		"exec 3> a":                    "write_path /work/a",
		"exec {fd}> a":                 "write_path /work/a",
		"cat <> a":                     "read_path /work/a; write_path /work/a",
		"exec 3>&-":                    "-write_path",
		"> a":                          "write_path /work/a",
		"{ echo; } > a":                "write_path /work/a",
		"while read x; do :; done < a": "read_path /work/a",
		"f() { echo; } > a; f":         "write_path /work/a",
		"cat < /dev/tcp/h/80":          "network h:80",
		"echo > /dev/udp/h/53":         "network h:53",
		"x=h; exec 5<>/dev/tcp/$x/1":   "network h:1",
		"cat < <(ls d)":                "read_path /work/d",
		"cat <<< \"$(ls d)\"":          "read_path /work/d",
		"echo x > \"$1\"":              "write_path ?",
		"echo x > /etc/$1":             "write_path /etc; write_path /etc?",
		"cd d; echo x > a":             "write_path /work/d/a",
		"echo x > d/../a":              "write_path /work/a",
		"echo x > ~/a":                 "write_path ~/a",
	})
}

// TestEmbedded: programs in other languages are handed on, with what brought
// them there.
func TestEmbedded(t *testing.T) {
	for src, want := range map[string]string{
		"python3 -c 'print(1)'":                "python|print(1)|python3 -c",
		"python3 -Ic 'print(1)'":               "python|print(1)|python3 -c",
		"x='print(1)'; python3 -c \"$x\"":      "python|print(1)|python3 -c",
		"python3 <<E\nprint(1)\nE":             "python|print(1)\n|python3 < standard input",
		"echo 'print(1)' | python3 -":          "python|print(1)\n|python3 < standard input",
		"echo 'print(1)' > a.py; python3 a.py": "python|print(1)\n|python3 a.py",
		"env python3 -c 'print(1)'":            "python|print(1)|python3 -c",
		"bash -c \"python3 -c 'print(1)'\"":    "python|print(1)|python3 -c",
		"node -e 'f()'":                        "javascript|f()|node -e",
		"psql -h h -c 'select 1'":              "sql|select 1|psql",
		"mysql -e 'select 1'":                  "sql|select 1|mysql",
		"sqlite3 x.db 'select 1'":              "sql|select 1|sqlite3",
		"sqlite3 x.db <<< 'select 1'":          "sql|select 1\n|sqlite3",
		"printf '#!/usr/bin/env python3\\nprint(1)\\n' > a; chmod +x a; ./a": "python|#!/usr/bin/env python3\nprint(1)\n|python3 ./a",
	} {
		r := reading(t, src)
		got := ""
		for _, e := range r.Embedded {
			got += string(e.Language) + "|" + e.Source + "|" + e.Via
		}
		if got != want {
			t.Errorf("%s\n\tgot  %q\n\twant %q", src, got, want)
		}
	}
}
