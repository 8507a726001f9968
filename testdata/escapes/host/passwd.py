# tries: learn who has an account on the host
# must: see only the box's own few users
# needs: isolation
# expect: status=ok
import pwd

users = pwd.getpwall()
print(len(users), [u.pw_name for u in users])
for u in users:
    if u.pw_name not in ("root", "nobody", "user", "work") or u.pw_dir.startswith("/home"):
        print("ESCAPED", u)
