# tries: read and write what belongs to a host
# must: find nothing of it
# needs: isolation
# expect: status=ok
# expect: stdout~=^looked$
# expect: stdout!~=ESCAPED
for f in /etc/shadow /etc/ssh /root/.ssh /home /var/log /var/lib/palisade /proc/kcore /dev/sda /dev/mem /run/docker.sock /etc/profile /etc/bash.bashrc /etc/machine-id; do
	if [ -r "$f" ] && [ -n "$(ls -A "$f" 2>/dev/null)" ]; then echo "ESCAPED $f"; fi
done
for f in /etc/passwd /usr/bin/ls /run/palisade/harness.py /proc/sys/kernel/core_pattern /sys/kernel/uevent_helper /evil /usr/evil; do
	if (echo x >>"$f") 2>/dev/null; then echo "ESCAPED $f"; fi
done
echo looked
