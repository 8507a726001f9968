package py

// effectsFiles: Python Library Reference, "File and Directory Access", "Data
// Persistence", "Data Compression and Archiving", "File Formats", "Logging".
const effectsFiles = `
io: open = mode(0,file;1,mode) unresolvedif(7,opener) -> io.TextIOWrapper
io: FileIO = mode(0,file;1,mode) unresolvedif(3,opener)
io.FileIO: read readall readinto write seek tell truncate close fileno name mode = none
io: open_code = read(0,path) -> io.BytesIO
io: StringIO = none -> io.StringIO
io: BytesIO = none -> io.BytesIO
io.TextIOWrapper: read readline readlines write writelines close flush seek tell truncate fileno = none
codecs: open = mode(0,filename;1,mode) -> io.TextIOWrapper
codecs: register register_error = introspect
tokenize: open = read(0,filename) -> io.TextIOWrapper
fileinput: input FileInput = read(0,files) writewhen(0,files;1,inplace) unresolvedif(,openhook)
fileinput: hook_compressed hook_encoded = mode(0,filename;1,mode)
linecache: getline getlines updatecache checkcache lazycache = read(0,filename)
pathlib: Path PosixPath WindowsPath PurePath PurePosixPath = none
pathlib.Path: cwd = none
pathlib.Path: home = none
pathlib.Path: read_text read_bytes stat lstat exists is_file is_dir is_mount is_symlink is_socket is_fifo is_block_device is_char_device owner group readlink iterdir samefile walk = read(self)
pathlib.Path: glob rglob = read(self)
pathlib.Path: write_text write_bytes mkdir touch chmod lchmod = write(self)
pathlib.Path: unlink rmdir = delete(self)
pathlib.Path: rename replace move move_into = write(self) delete(self) write(0,target)
pathlib.Path: copy copy_into = read(self) write(0,target)
pathlib.Path: symlink_to hardlink_to link_to = write(self) read(0,target)
pathlib.Path: open = pmode(self;0,mode)
pathlib.Path: resolve absolute expanduser joinpath with_suffix with_name with_stem as_posix as_uri relative_to is_absolute is_relative_to match parent name = none
glob: glob iglob glob0 glob1 = read(0,pathname) read(,root_dir?)
glob: escape has_magic translate = none
fnmatch: * = none
filecmp: cmp = read(0,f1) read(1,f2)
filecmp: dircmp = read(0,a) read(1,b)
filecmp: cmpfiles = read(0,a) read(1,b)
tempfile: NamedTemporaryFile TemporaryFile = write(6,dir=/tmp) write(4,suffix?) write(5,prefix?)
tempfile: SpooledTemporaryFile = write(7,dir=/tmp) write(5,suffix?) write(6,prefix?)
tempfile: TemporaryDirectory mkstemp mkdtemp mktemp = write(2,dir=/tmp) write(0,suffix?) write(1,prefix?)
tempfile: gettempdir gettempdirb gettempprefix tempdir = none
zipfile: ZipFile = mode(0,file;1,mode) -> zipfile.ZipFile
zipfile: PyZipFile = mode(0,file;1,mode) -> zipfile.PyZipFile
zipfile.PyZipFile: writepy write = read(0,pathname)
zipfile.PyZipFile: extract = write(1,path=.)
zipfile.PyZipFile: extractall = write(0,path=.)
zipfile: main = unresolved
zipfile: CompleteDirs FastLookup = mode(0,file;1,mode) -> zipfile.ZipFile
zipfile.ZipInfo: from_file = unresolved
zipfile.ZipFile: extract = write(1,path=.)
zipfile.ZipFile: extractall = write(0,path=.)
zipfile.ZipFile: write = read(0,filename)
zipfile: is_zipfile = read(0,filename)
zipfile: Path = read(0,root)
tarfile: open TarFile.open = mode(0,name;1,mode) -> tarfile.TarFile
tarfile: TarFile = mode(0,name;1,mode) -> tarfile.TarFile
tarfile.TarFile: extract = write(1,path=.)
tarfile.TarFile: extractall = write(0,path=.)
tarfile.TarFile: add = read(0,name)
tarfile: is_tarfile = read(0,name)
gzip: open GzipFile = mode(0,filename;1,mode) -> gzip.GzipFile
bz2: open BZ2File = mode(0,filename;1,mode) -> bz2.BZ2File
lzma: open LZMAFile = mode(0,filename;1,mode) -> lzma.LZMAFile
sqlite3: connect Connection = sqlite(0,database) -> sqlite3.Connection
sqlite3.Connection: execute executemany = statement(0,sql) -> .
sqlite3.Connection: executescript = script(0,sql) -> .
sqlite3.Connection: cursor = none -> .
sqlite3.Cursor: execute executemany = statement(0,sql) -> .
sqlite3.Cursor: executescript = script(0,sql) -> .
sqlite3.Connection: enable_load_extension load_extension = native(0,path)
sqlite3.Connection: commit close create_function create_aggregate = none
sqlite3.Connection: backup iterdump = none
sqlite3: * = none
dbm: open = write(0,file)
dbm.gnu: open = write(0,filename)
dbm.ndbm: open = write(0,filename)
dbm.dumb: open = write(0,filename)
dbm: whichdb = read(0,filename)
configparser.RawConfigParser: read = read(0,filenames)
configparser.SafeConfigParser: read = read(0,filenames)
configparser: ConfigParser RawConfigParser SafeConfigParser = none -> configparser.ConfigParser
configparser.ConfigParser: read = read(0,filenames)
csv: * = none
json: * = none
netrc: netrc = secret(0,file)
keyring: * = secret
dotenv: load_dotenv dotenv_values = secret(0,dotenv_path=.env)
decouple: config = env(0,option)
environs: * = env
logging: FileHandler = write(0,filename)
logging: basicConfig = write(,filename?)
logging.handlers: RotatingFileHandler TimedRotatingFileHandler WatchedFileHandler BaseRotatingHandler = write(0,filename)
logging.handlers: SocketHandler DatagramHandler HTTPHandler SMTPHandler SysLogHandler = net(0,host)
mimetypes: init read_mime_types = read(0,files)
mimetypes: MimeTypes = read(0,filenames?) -> mimetypes.MimeTypes
mimetypes.MimeTypes: read = read(0,filename)
mimetypes: * = none
wave: open = mode(0,f;1,mode)
aifc: open = mode(0,f;1,mode)
sunau: open = mode(0,f;1,mode)
sndhdr: what = read(0,filename)
imghdr: what = read(0,file)
mailbox: * = write(0,path)
mailcap: * = process
crypt: * = none
zoneinfo: reset_tzpath = read
xdrlib: * = none
openpyxl: load_workbook open = read(0,filename)
openpyxl.reader.excel: load_workbook = read(0,filename)
openpyxl.writer.excel: save_workbook = write(1,filename)
openpyxl.Workbook: save = write(0,filename)
openpyxl.drawing.image: Image = read(0,img)
shlex.shlex: sourcehook = read(0,newfile)
xlsxwriter: Workbook = write(0,filename)
docx: Document = read(0,docx?)
PyPDF2: PdfReader PdfFileReader = read(0,stream)
pypdf: PdfReader = read(0,stream)
fitz: open = read(0,filename)
h5py: File = mode(0,name;1,mode)
netCDF4: Dataset = mode(0,filename;1,mode)
pyarrow.parquet: read_table = url(0,source)
pyarrow.parquet: write_table = write(1,where)
polars: read_csv read_parquet read_json scan_csv scan_parquet read_excel = url(0,source)
fsspec: * = unresolved
aiofiles: open = mode(0,file;1,mode)
watchdog: * = read
toml: load = read(0,f)
tomllib: * = none
xmlrpc.client: ServerProxy = net(0,uri)
`
