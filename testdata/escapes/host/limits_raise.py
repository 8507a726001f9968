# tries: raise its own limits
# must: be refused
# expect: status=ok
# expect: stdout!~=raised
import resource

for name in ("NOFILE", "NPROC", "FSIZE", "CORE"):
    which = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(which)
    print(name, soft, hard)
    if name != "NPROC" and (hard == resource.RLIM_INFINITY or hard > 1 << 30):
        print("ESCAPED", name)
    try:
        import os
        if os.getuid() == 0:
            continue  # a plain process run by root may
        resource.setrlimit(which, (soft, hard + 1))
        print("raised", name)
    except (ValueError, OSError) as e:
        print("blocked", name, e)
