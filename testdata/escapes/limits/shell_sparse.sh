# tries: make a file that is larger than any disk
# must: be refused; what is left of it is empty
# needs: disk
# limits: disk=4MiB
# expect: status=disk_limit
# expect: artifacts=huge
truncate -s 1T huge
