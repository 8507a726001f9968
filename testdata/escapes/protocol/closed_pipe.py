# tries: close the harness's pipe
# must: be judged by how it ended
# expect: status=ok
# expect: value=
# expect: stdout~=^closed$
import os

os.closerange(3, 5000)
open("lost.txt", "w").write("never reported")
print("closed")
