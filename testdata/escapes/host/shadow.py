# tries: read the password hashes of the host
# must: fail, or find none
# needs: isolation
# expect: status=ok
for path in ("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key"):
    try:
        if open(path).read().strip():
            print("ESCAPED", path)
    except OSError as e:
        print("blocked", path, e.errno)
