package shell

// commandsFiles are the commands that list, copy, move, change and delete files,
// and archivers. Source: POSIX.1-2024, the manuals of GNU coreutils, findutils,
// tar, cpio, gzip, Info-ZIP, 7-Zip, rsync and e2fsprogs; GTFOBins for what they
// lend beside that. How a row is read: row.go.
const commandsFiles = `
ls,dir,vdir           r* .r -I= --ignore= --hide= -T= --tabsize= -w= --width= --color? --block-size= --format= --sort= --time= --time-style= --quoting-style=
exa,eza,lsd           r* .r -L= --level= -s= --sort= -I= --ignore-glob= -t= --time= --color= --colour=
tree                  r* .r -L= -P= -I= -o=w -H= -T= --charset= --filelimit= --timefmt= --sort? --fromfile
du                    r* .r -B= -d= -t= -X=r --files0-from=r --block-size= --max-depth= --threshold= --exclude= --exclude-from=r --time?
df                    r* +system_info -B= -t= -x= --block-size= --output? --type= --exclude-type=
find,gfind,bfs        @find
fd,fdfind             @fd
locate,mlocate,plocate,slocate _* +system_info -d=r --database=r -l= -n=
updatedb              -U=r -o=w --output=w +write_path
which,whereis         _*
cp                    r* w$ -t=w --target-directory=w -S= --suffix= --no-preserve= --sparse= --reflink? --backup? --preserve?
mv                    w* -t=w --target-directory=w -S= --suffix= --backup?
ln,link               r* w$ -t=w --target-directory=w -S= --suffix= --backup?
install,ginstall      @install
rm,srm,trash,trash-put,rm-safe d* --interactive? --preserve-root? --one-file-system
rmdir,unlink          d*
shred,wipe            w* @shred
mkdir,mkfifo,mkdirp   w* -m= --mode= -Z? --context?
mknod                 w _ _ _ -m= --mode= +privilege
mktemp                w -p=w --tmpdir=w? --suffix=
touch                 w* -d= --date= -r=r --reference=r -t= --time=
truncate,fallocate    w* -s= --size= -r=r --reference=r -o= -l= --offset= --length=
chmod                 @chmod
chown,chgrp           _ w* --reference=r^ --from= +privilege
chattr                _ w* -v= -p= +privilege
lsattr                r* .r
setfacl               w* -m=v -x=v -M=r -X=r --modify=v --remove=v --set=v --set-file=r --restore=r
getfacl,getfattr      r* -n= -m= --name= --match=
setfattr              w* -n= -v= -x= --name= --value= --remove= --restore=r
rename,prename,file-rename _ w* -e=_^ +evaluate
mmv,vidir,qmv         w* +unresolved
dd                    @dd
sync                  r* !
gzip,gunzip,bzip2,bunzip2,xz,unxz,lzma,unlzma,zstd,unzstd,lz4,unlz4,lzop,compress,uncompress,pigz,pbzip2,brotli,lzip @squeeze
zcat,bzcat,xzcat,zstdcat,lzcat,gzcat,zless,zmore,bzless,xzless,zdiff,zcmp,xzdiff r* | -S=
tar,bsdtar,gtar       @tar
cpio                  @cpio
pax                   r* -f=b -x= -s= -o= +write_path
ar                    _ b r*
zip                   @zip
unzip,zipinfo         r @unzip
7z,7za,7zr,p7zip,unrar,rar,unar,lha,unace _ b r* -o=w -p=c +write_path
jar                   @tar
cabextract            r* -d=w -p
ranlib,strip,objcopy  b* -o=w
patch                 b r -i=r --input=r -o=w --output=w -d=b --directory=b -r=w -B= -p= -D= -F= -V= +write_path
rdiff                 r* +process
ncdu                  r* .r -o=w -f=r
ranger,mc,nnn,vifm    r* +unresolved
lsof                  r* +system_info -p= -u= -i? -c= -d= -g=
fuser                 r* @fuser
inotifywait,inotifywatch r* -e= -t= --format= --timefmt= --exclude= -o=w --outfile=w --fromfile=r
logrotate             f* -s=w --state=w -m=s --mail=s +evaluate +delete_path
tmpreaper,tmpwatch    _ d* -m= -M= --protect=
rdfind,fdupes,jdupes  r* @dedupe
gs,ghostscript        @interpreter
convert,magick,mogrify,composite,montage @image
ffmpeg,ffprobe,inkscape,libreoffice,soffice b* -i=r -f= -c= -o=w -y +evaluate
xdg-open,open,gio     r* +unresolved
`
