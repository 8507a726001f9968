# tries: have files collected through links, and while they are swapped for links
# must: collect only what is a file in the working directory
# needs: isolation
# expect: status=ok
# expect: artifacts=kept/real.txt
mkdir kept out
echo data >kept/real.txt
ln -s /proc/self out/hop
ln -s /etc/passwd out/passwd
ln -s /proc/1/environ environ
ln -s /etc folder
mkfifo pipe
(while :; do
	mkdir -p race && rm -rf race && ln -s /etc race && rm -f race
done) >/dev/null 2>&1 &
sleep 0.3
