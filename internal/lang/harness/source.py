import _ast
from _frozen_importlib import ModuleSpec


class Source:
    """Finds and loads the judged modules, from their trees; knows all text."""

    def __init__(self):
        self.files = {}  # module name -> file name
        self.texts = {}  # module name -> text
        self.codes = {}  # module name -> code
        self.packages = set()

    def add(self, name, file, text):
        self.files[name] = file
        self.texts[name] = text
        while "." in name:
            name = name.rpartition(".")[0]
            self.packages.add(name)

    def find_spec(self, name, path=None, target=None):
        if name == "__main__" or not (name in self.files or name in self.packages):
            return None
        spec = ModuleSpec(name, self, origin=self.files.get(name), is_package=name in self.packages)
        spec.has_location = name in self.files
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        code = self.codes.get(module.__name__)
        if code is not None:
            exec(code, module.__dict__)

    def get_source(self, name):
        return self.texts.get(name)

    def get_code(self, name):
        return self.codes.get(name)

    def is_package(self, name):
        return name in self.packages


def parse(text, file):
    return compile(text, file, "exec", _ast.PyCF_ONLY_AST, True, 0)


def split_last(tree):
    """Takes the last expression off a tree, for its value to be displayed."""
    body = tree.body
    if not body or type(body[-1]) is not _ast.Expr:
        return None
    value = body[-1].value
    if len(body) == 1 and type(value) is _ast.Constant and type(value.value) is str:
        return None  # the documentation string
    body.pop()
    return _ast.Expression(value)
