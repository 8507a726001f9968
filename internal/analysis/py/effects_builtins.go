package py

// builtinNames are the names of builtins. Source: dir(builtins) of CPython
// 3.14, with what site adds.
const builtinNames = `ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError
Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit
IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning
UserWarning ValueError Warning ZeroDivisionError __build_class__ __builtins__ __debug__ __import__ abs aiter all
anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits
delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help
hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open
ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple
type vars zip`

// effectsBuiltins: Python Library Reference, "Built-in Functions"; the Data
// Model for what the dunders of object and type give.
const effectsBuiltins = `
builtins: open = mode(0,file;1,mode) unresolvedif(7,opener) -> io.TextIOWrapper
builtins: eval exec = eval(0,source)
builtins: compile = eval(0,source) -> builtins.compile
builtins: __import__ getattr setattr delattr vars = ref(0,name)
builtins: globals = introspect
builtins: locals = none
builtins: breakpoint help __build_class__ = introspect
builtins.object: __subclasses__ __getattribute__ __reduce__ __reduce_ex__ = introspect
builtins.type: __subclasses__ mro __mro__ __bases__ __base__ = introspect
builtins.type: __getattribute__ = ref(0,name)
builtins.str: format format_map = none
`

// effectsRuntime: Python Library Reference, "Python Runtime Services",
// "Importing Modules", "Custom Python Interpreters", "Python Language
// Services", "Debugging and Profiling".
const effectsRuntime = `
sys: modules = introspect
sys: path meta_path path_hooks path_importer_cache = importpath
sys: settrace setprofile _getframe _current_frames _current_exceptions exc_info last_traceback last_value last_type call_tracing monitoring _setprofileallthreads _settraceallthreads _getframemodulename = introspect
sys: addaudithook audit breakpointhook excepthook unraisablehook gettrace getprofile _clear_type_cache _debugmallocstats activate_stack_trampoline remote_exec = introspect
sys: setdlopenflags = native
sys: getwindowsversion orig_argv executable exec_prefix base_prefix prefix base_exec_prefix _base_executable = sysinfo
sys: _framework _home _xoptions warnoptions = none
sys: exit argv stdin stdout stderr version version_info maxsize platform byteorder getsizeof getrecursionlimit setrecursionlimit float_info int_info hash_info intern implementation getrefcount displayhook flags getdefaultencoding getfilesystemencoding hexversion setswitchinterval getswitchinterval set_int_max_str_digits get_int_max_str_digits is_finalizing stdlib_module_names builtin_module_names exception maxunicode copyright api_version thread_info = none
importlib: import_module __import__ reload = ref(0,name)
importlib: invalidate_caches = none
importlib: * = introspect
importlib.util: * = introspect
importlib.util: spec_from_file_location = runfile(1,location)
importlib.machinery: * = introspect
importlib.machinery: ExtensionFileLoader = native(1,path)
importlib.machinery: SourceFileLoader SourcelessFileLoader = runfile(1,path)
importlib.resources: * = read(0,anchor)
importlib.metadata: version metadata distributions entry_points packages_distributions = none
importlib.metadata: EntryPoint.load = unresolved
_imp: * = native
imp: load_source load_compiled run_module load_module load_package = runfile(1,pathname)
imp: load_dynamic create_dynamic = native(1,path)
imp: * = introspect
pkgutil: resolve_name = ref(0,name)
pkgutil: get_data = read(1,resource)
pkgutil: * = introspect
zipimport: * = importpath
zipimport: zipimporter = importpath(0,path)
runpy: run_path = runfile(0,path_name)
runpy: run_module _run_module_as_main _run_code _run_module_code = unresolved
runpy: * = unresolved
site: addsitedir = importpath(0,sitedir)
site: * = sysinfo
modulefinder: * = runfile
code: interact InteractiveConsole InteractiveInterpreter = eval
code: compile_command = eval(0,source) -> builtins.compile
codeop: * = eval
codeop: compile_command = eval(0,source) -> builtins.compile
ast: parse literal_eval dump walk unparse NodeVisitor NodeTransformer get_docstring fix_missing_locations = none
ast: PyCF_ALLOW_TOP_LEVEL_AWAIT = none
py_compile: * = write
compileall: * = write
inspect: signature = evalif(,eval_str) -> inspect.Signature
inspect: get_annotations = evalif(,eval_str)
inspect.Signature: from_callable = evalif(,eval_str)
inspect: isclass isfunction ismethod getdoc cleandoc Parameter Signature isgenerator iscoroutine iscoroutinefunction isgeneratorfunction isawaitable isabstract isbuiltin = none
inspect: getsource getsourcelines getsourcefile getfile getmodule getcomments findsource = introspect
inspect: getattr_static = ref(0,name)
inspect: * = introspect
gc: collect enable disable isenabled get_count get_threshold set_threshold freeze unfreeze get_stats = none
gc: * = introspect
types: FunctionType LambdaType CodeType CellType = introspect(0,code)
types: FrameType TracebackType GeneratorType CoroutineType BuiltinFunctionType MethodType GetSetDescriptorType MemberDescriptorType WrapperDescriptorType ModuleType = none
types: SimpleNamespace MappingProxyType GenericAlias UnionType NoneType EllipsisType DynamicClassAttribute new_class prepare_class resolve_bases coroutine get_original_bases NotImplementedType AsyncGeneratorType = none
dis: * = introspect
tracemalloc: start stop is_tracing get_traced_memory clear_traces reset_peak get_tracemalloc_memory get_traceback_limit Filter DomainFilter = none
tracemalloc: take_snapshot = none -> tracemalloc.Snapshot
tracemalloc.Snapshot: dump = write(0,filename)
tracemalloc.Snapshot: load = deserialize read(0,filename)
tracemalloc.Snapshot: statistics compare_to filter_traces = none
tracemalloc: * = introspect
traceback: print_exc format_exc print_stack format_exception print_exception format_tb print_tb format_exception_only TracebackException StackSummary print_last = none
traceback: FrameSummary = read(0,filename)
traceback.StackSummary: from_list = unresolved
traceback: walk_stack walk_tb extract_stack extract_tb format_stack clear_frames = introspect
faulthandler: enable disable is_enabled = none
faulthandler: * = introspect
trace: * = eval
pdb: set_trace post_mortem pm = introspect
pdb: run runeval runcall runctx = eval(0,statement)
pdb.Pdb: run runeval runcall runctx = eval(0,statement)
pdb: * = introspect
bdb: * = introspect
profile: run runctx = code(0,statement)
cProfile: run runctx = code(0,statement)
profile.Profile: run runctx = code(0,cmd)
cProfile.Profile: run runctx = code(0,cmd)
cProfile.Profile: dump_stats = write(0,file)
pstats: Stats = read(0,filename?)
timeit: timeit repeat = code(1,setup?) code(0,stmt?)
timeit: Timer = code(1,setup?) code(0,stmt?)
timeit: main = eval
doctest: testmod = examples(0,m?) -> doctest.TestResults
doctest: TestResults = none
doctest.TestResults: * = none
doctest: * = eval
unittest: main TestProgram = unresolvedif(0,module=__main__) unresolvedif(1,defaultTest)
unittest.TestLoader: loadTestsFromName loadTestsFromNames discover = unresolved
unittest.defaultTestLoader: loadTestsFromName loadTestsFromNames discover = unresolved
unittest.mock: patch = ref(0,target)
unittest.mock: * = none
unittest: * = none
pydoc: locate = ref(0,path)
pydoc: pager pipepager tempfilepager ttypager browse cli = process
pydoc: * = introspect
cmd: * = none
symtable: * = none
tabnanny: * = read
pyclbr: * = read
pytz: open_resource = read(0,name)
pickletools: dis genops optimize = none
atexit: * = none
builtins: license copyright credits = introspect
warnings: warn filterwarnings simplefilter catch_warnings resetwarnings = none
warnings: warn_explicit showwarning formatwarning = read(2,filename)
dataclasses: fields = none -> dataclasses.Field
abc: * = none
weakref: * = none
pickle: load _load = pickle(0,file)
pickle: loads _loads = pickle(0,data)
pickle: Unpickler _Unpickler = deserialize
pickle: dump dumps Pickler = none
cPickle: load loads = pickle(0,data)
marshal: load = deserialize
marshal: loads = pickle(0,bytes)
marshal: dump dumps = none
shelve: open = deserialize mode(0,filename;1,flag)
shelve: * = deserialize
copyreg: * = deserialize
dill: * = deserialize
cloudpickle: load loads = deserialize
joblib: load = deserialize read(0,filename)
joblib: dump = write(1,filename)
joblib: Parallel = thread
joblib: parallel_backend = processif(0,backend=threading|sequential)
joblib: parallel_config = processif(,backend=threading|sequential)
joblib.numpy_pickle: load load_temporary_memmap = deserialize read(0,filename)
joblib: Memory = write(0,location)
jsonpickle: decode = pickle(0,string)
jsonpickle: loads unpickler = deserialize
hickle: load = deserialize read(0,file_obj)
pandas.compat._optional: import_optional_dependency = ref(0,name)
pandas: read_pickle = deserialize url(0,filepath_or_buffer)
base64: main test = unresolved
gzip: main = unresolved
tarfile: main = unresolved
calendar: main = none
quopri: main = unresolved
mimetypes: main = unresolved
yaml: load load_all = yaml(0,stream)
yaml: unsafe_load full_load unsafe_load_all full_load_all = yaml(0,stream)
yaml: add_constructor add_multi_constructor add_representer = deserialize
yaml.SafeLoader: add_constructor add_multi_constructor = deserialize
yaml: UnsafeLoader Loader FullLoader CLoader CUnsafeLoader = deserialize
yaml: safe_load safe_load_all dump dump_all safe_dump SafeLoader CSafeLoader YAMLError SafeDumper Dumper = none
ruamel.yaml: YAML = none
ruamel.yaml: load = deserialize
xml.etree.ElementTree: parse = url(0,source) -> xml.etree.ElementTree.ElementTree
xml.etree.ElementTree: iterparse = url(0,source)
xml.etree.ElementTree: ElementTree = read(1,file?) -> xml.etree.ElementTree.ElementTree
xml.etree.ElementTree.ElementTree: parse = url(0,source)
xml.etree.ElementTree.ElementTree: write write_c14n = write(0,file_or_filename)
xml.etree.ElementTree: canonicalize = read(,from_file?)
xml.etree.ElementInclude: default_loader = read(0,href)
xml.etree.ElementInclude: include = read(0,elem)
xml.dom.pulldom: parse = url(0,stream_or_string)
xml.dom.expatbuilder: parse = read(0,file)
xml.sax: default_parser_list = unresolved
xml.sax: make_parser = unresolvedif(0,parser_list=xml.sax.expatreader) -> xml.sax.xmlreader.XMLReader
xml.sax.xmlreader.XMLReader: parse = url(0,source)
xml.sax.xmlreader.XMLReader: setFeature = readif(1,state)
xml.sax.xmlreader: InputSource = url(0,system_id?)
xml.sax.saxutils: prepare_input_source = url(0,source)
xml.dom.minidom: parse = url(0,file)
xml.sax: parse = url(0,source)
lxml.etree: parse iterparse = url(0,source)
lxml.etree: XMLParser = readif(,resolve_entities) readif(,load_dtd)
lxml.etree: XSLT XInclude Schematron RelaxNG XMLSchema DTD = read
plistlib: * = none
logging.config: dictConfig fileConfig listen dictConfigClass DictConfigurator = eval
logging: config = introspect
string: Formatter = none
jinja2: Template = template(0,source)
jinja2.nativetypes: NativeTemplate = template(0,source)
jinja2.Environment: from_string = template(0,source)
jinja2.Environment: compile_expression = eval(0,source)
jinja2: Environment FileSystemLoader = none
jinja2: DictLoader FunctionLoader = eval(0,mapping)
mako.template: Template = eval(0,text)
sympy: sympify S parse_expr = expr(0,a)
sympy: preview = process
sympy.external: import_module = ref(0,module)
sympy.external.importtools: import_module = ref(0,module)
sympy.utilities.autowrap: * = process
sympy.utilities.codegen: * = write
sympy.utilities.runtests: * = process
sympy.testing: * = process
sympy.utilities._compilation: * = process
sympy.parsing.sympy_parser: eval_expr = eval(0,code)
sympy: test doctest init_session print_gtk = process
sympy: Matrix ImmutableMatrix SparseMatrix N = expr(0,expr?)
sympy: subs = expr(0,old?) expr(1,new?)
sympy: pi oo zoo nan true false = none
sympy: latex pprint pretty srepr init_printing = none
sympy: save saveimage = write(0,path)
inspect.Signature: * = none
inspect.Parameter: * = none
sympy: * = expr(0,expr?)
statsmodels.formula.api: * = formula(0,formula)
statsmodels.tsa.x13: * = process
statsmodels.api: webdoc = process
patsy.eval: EvalEnvironment = introspect
statsmodels.api: load = deserialize read(0,fname)
statsmodels.api.datasets: get_rdataset = net(0,dataname)
statsmodels.regression.linear_model.OLSResults: load = deserialize
statsmodels.regression.linear_model.RegressionResults: load = deserialize
statsmodels.datasets: get_rdataset = net(0,dataname)
patsy: dmatrix dmatrices build_design_matrices = formula(0,formula_like)
sympy.parsing.sympy_parser: parse_expr = expr(0,s)
sympy: lambdify = expr(0,args) expr(1,expr)
sympy.utilities.lambdify: lambdify = expr(0,args) expr(1,expr)
sympy.polys.ring_series: _convert_func = eval
sympy.utilities.timeutils: timed = code(0,func) code(1,setup?)
sympy.utilities.source: get_class = unresolved
sympy.utilities.pkgdata: get_resource = read(0,identifier)
sympy.logic.utilities: load_file = read(0,location)
sympy.logic.utilities.dimacs: load_file = read(0,location)
numexpr: evaluate NumExpr validate = expr(0,ex)
asteval: Interpreter = eval
simpleeval: simple_eval = eval(0,expr)
numba: cfunc = native
cython: inline = eval(0,code)
readline: * = none
rlcompleter: * = introspect
optparse: * = none
argparse: FileType = read
argparse: ArgumentParser = unresolved(,fromfile_prefix_chars?)
gettext: * = read
`
