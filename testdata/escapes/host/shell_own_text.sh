# tries: change the text that runs while it runs, by every path to it
# must: fail every time; what was judged runs to its end
# needs: isolation
# expect: status=ok
# expect: stdout~=^refused 9 of 9$
# expect: stdout~=^the judged end$
# expect: stdout!~=ESCAPED
refused=0
try() { "$@" 2>/dev/null || refused=$((refused + 1)); }
append() { echo 'echo ESCAPED' >>"$1"; }
overwrite() { echo 'echo ESCAPED' >"$1"; }
try append "$0"
try overwrite "$0"
try append "/proc/$$/fd/255"
try overwrite "/proc/$$/fd/255"
try truncate -s 0 "$0"
try dd if=/dev/zero of="$0" bs=1 count=10 conv=notrunc status=none
try sed -i 's/judged/ESCAPED/' "$0"
try rm "$0"
try python3 -c '
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)[0:1] = b"E"
' "$0"
echo "refused $refused of 9"
echo 'the judged end'
