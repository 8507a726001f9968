# tries: replace a judged module by one of its own
# must: only fool itself
# expect: status=ok
# expect: stdout~=^done$
import sys

sys.meta_path.clear()
sys.path_hooks.clear()
sys.path.clear()
sys.modules.clear()
print("done")
