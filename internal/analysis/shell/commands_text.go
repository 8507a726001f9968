package shell

// commandsText are the commands that read, filter and compare text and bytes.
// Source: POSIX.1-2024 (Shell & Utilities), the manuals of GNU coreutils, grep,
// diffutils, sed, gawk and util-linux; what they lend beside that, GTFOBins.
// How a row is read: row.go.
const commandsText = `
cat                   r* |
tac,nl,rev            r*
head,tail             r* | -n= -c= --lines= --bytes= -s= --pid= --sleep-interval=
less                  r* | -o=w -O=w -k=r -T=r --lesskey-file=r -p= -P= -x= -y= -z= -b= -h= -j= -t=
more,most,pg          r* | -n= --lines=
sort                  r* | -o=w --output=w -k= --key= -t= --field-separator= -S= --buffer-size= -T=w --temporary-directory=w --files0-from=r --compress-program=s --parallel= --batch-size= --random-source=r
uniq                  r w | -f= -s= -w= --skip-fields= --skip-chars= --check-chars=
wc                    r* --files0-from=r
cut                   r* -b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --output-delimiter=
paste                 r* -d= --delimiters=
join                  r* -1= -2= -a= -e= -j= -o= -t= -v=
comm,diff3,tsort,wdiff r* --output-delimiter=
cmp                   r* -i= --ignore-initial= -n= --bytes=
sdiff                 r* -o=w --output=w -w= --width= -I=
diff                  r* -I= -F= -L= -U= -C= -W= -X=r -S= -x= -D= --from-file=r --to-file=r --exclude= --exclude-from=r --label= --width= --context= --unified=
colordiff,icdiff,delta r*
tr                    _ _
expand,unexpand       r* | -t= --tabs=
fmt                   r* -w= --width= -p= --prefix= -g= --goal=
fold                  r* -w= --width=
pr                    r* -h= -l= -w= -o= -D= -N= -W= -e? -i? -n? -s? -S?
column                r* -s= -o= -c= -N= -R= -H= -O= -T= -W= -n= --separator= --output-separator= --table-columns= --table-name=
colrm                 _*
col,colcrt,ul         r*
hexdump,hd            r* -n= -s= -e= -f=r
strings               r* -n= -t= -e= -T= --bytes= --encoding= --radix=
iconv                 r* -f= -t= -o=w --from-code= --to-code= --output=w
recode                _ b*
dos2unix,unix2dos     b*
od                    r* -A= -j= -N= -S= -t= -w? --address-radix= --format= --skip-bytes= --read-bytes=
xxd                   r w -c= -g= -l= -o= -s= -n= -cols= -len= -seek= -name=
base64,base32,basenc  r* -w= --wrap=
uuencode              r
uudecode              r* -o=w +write_path
md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,cksum,sum,shasum,xxhsum r* -a= --algorithm= -l=
md5,sha256            r*
split                 r w -a= -b= -C= -l= -n= -t= --filter=s --additional-suffix= --bytes= --lines= --number=
csplit                r -f=w --prefix=w -b= -n= --suffix-format= --digits=
shuf                  r* -o=w --output=w -n= --head-count= -i= --input-range= --random-source=r |
grep,egrep,fgrep,zgrep,bzgrep,xzgrep,zegrep,zfgrep,rgrep _ r* | -e=_^ -f=r^ --regexp=_^ --file=r^ -m= --max-count= -A= -B= -C= --after-context= --before-context= --context= --include= --exclude= --exclude-from=r --exclude-dir= --label= -d= -D= --color? --colour? --binary-files= --directories= --devices=
rg                    _ r* .r -e=_^ -f=r^ --regexp=_^ --file=r^ --pre=s -g= --glob= --iglob= -t= --type= -T= --type-not= -m= -A= -B= -C= -r= --replace= -M= -j= --ignore-file=r --hostname-bin=s --colors= --color= --sort= --sortr= -d= --max-depth= --max-count= --context=
ag,ack                _ r* .r -m= -A= -B= -C= -G= -p=r --pager=s --match=_^ --ignore-dir= --ackrc=r
look                  _ r
jq,gojq,jaq           _ r* -f=f^ --from-file=f^ -L=r --arg==_ --argjson==_ --slurpfile==r --rawfile==r --argfile==r --indent=
yq                    @yq
xmllint               r* -o=w --output=w --xpath= --schema=r --relaxng=r --pattern= --encode= --dtdvalid=r
xsltproc              f r* -o=w --output=w --param= --stringparam= +evaluate
xmlstarlet            r* +unresolved
tidy,html2text,pandoc r* -o=w --output=w -f= -t= --from= --to= --lua-filter=f --filter=f --template=r -i= -w=
bc                    f* --file=f
dc                    f* -f=f -e= --file=f --expression= @dc
sed,gsed              @sed
awk,gawk,mawk,nawk    @awk
aspell,hunspell,spell r* -d= -l= -p=
stat                  r* -c= --format= --printf= --cached=
file                  r* -f=r --files-from=r -m=r --magic-file=r -F= --separator= -P= -e= --exclude=
exiftool,readelf,objdump,nm,size,pdftotext,identify,mediainfo  r*
ldd                   r* +run_file
readlink,realpath     r* --relative-to= --relative-base=
basename,dirname      _* ! -s= --suffix=
seq,jot,factor,numfmt,expr,cal,ncal,primes,units _* ! -s= -f= -w=
yes,sleep,usleep,true,false _* !
date                  _ -d= --date= -f=r --file=r -r=r --reference=r -s=v --set=v -I?
tput,clear,reset,tset,setterm,stty,tabs _* -T= -F=r --file=r
figlet,toilet,cowsay,lolcat,fortune,banner,sl r*
cvs,svn,hg            +network _* +unresolved
gpg,gpg2              r* -o=w --output=w --keyserver=p --homedir=r --recv-keys= -r= --recipient= -u= --local-user= --passphrase=c --passphrase-file=r --import= +secret
age,minisign          r* -o=w -i=r -r= -R=r
m4                    @interpreter
envsubst              _* +environment
getopt,gettext,locale,localedef _*
tee                   w*
sponge                w*
ts,pv,mbuffer         r* | -L= -s= -i= -I=
vipe                  _ +unresolved
`
