def send_exception(channel, error, files):
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = "%s.%s" % (kind.__module__, name)
    try:
        message = str(error)
    except Exception:
        message = ""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in files:
            frames.append((code.co_filename, str(trace.tb_lineno), code.co_name[:200]))
        trace = trace.tb_next
    fields = [name[:200], message[:8000]]
    for frame in frames[-50:]:
        fields += frame
    channel.send(b"X", join(*fields))


def print_exception(error, source):
    """Prints a traceback as the interpreter would, without the harness in it."""
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    if sys.stderr is None:
        return
    try:
        import linecache
        import traceback
        for name, file in source.files.items():
            if file not in linecache.cache:
                text = source.texts[name]
                linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        shown = traceback.TracebackException(type(error), error, error.__traceback__)
        queue = [shown]
        done = set()
        while queue:
            one = queue.pop()
            if one is None or id(one) in done:
                continue
            done.add(id(one))
            if one.stack is not None:
                one.stack[:] = [f for f in one.stack
                                if f.filename != HARNESS and not f.filename.startswith("<frozen importlib")]
            queue += [one.__cause__, one.__context__]
            queue += getattr(one, "exceptions", None) or []
        text = "".join(shown.format())
        if not shown.stack and text.startswith("Traceback (most recent call last):\n"):
            text = text.partition("\n")[2]
    except Exception:
        text = "%s: %s\n" % (type(error).__qualname__, error)
    sys.stderr.write(text)
    sys.stderr.flush()


def exit_code(error):
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return int.__and__(code, 0xFF)
    try:
        sys.stderr.write("%s\n" % (code,))
    except BaseException:  # its text is the program's own code, and may exit itself
        pass
    return 1


def call(function, args):
    """Calls the entry function; one that is asynchronous is run to its end."""
    code = getattr(function, "__code__", None)
    first = []
    for name in code.co_varnames[:code.co_posonlyargcount] if code else ():
        if name not in args:
            break
        first.append(args.pop(name))
    value = function(*first, **args)
    if type(value).__name__ == "coroutine":
        import asyncio
        value = asyncio.run(value)
    return value


def end_threads():
    """What the interpreter does when a program has come to its end."""
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()
    atexit = sys.modules.get("atexit")
    if atexit is not None:
        atexit._run_exitfuncs()


def let_go(namespace, threads):
    """Drops the program's objects, so that files which it left open are flushed.
    threads are those that would be left if the program has none."""
    if len(sys._current_frames()) > threads:
        # A thread still uses them: only what is buffered is written out.
        for value in list(namespace.values()):
            if isinstance(value, (_io.TextIOWrapper, _io.BufferedWriter, _io.BufferedRandom)):
                try:
                    value.flush()
                except Exception:
                    pass
        return
    names = list(namespace)
    for name in names:
        if name[:1] == "_" and name[1:2] != "_":
            namespace[name] = None
    for name in names:
        if name != "__builtins__":
            namespace[name] = None
    import gc
    gc.collect()


def flush():
    ok = True
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except Exception:
            ok = False
    return ok
