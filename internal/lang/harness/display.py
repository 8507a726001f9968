MAX_REPR = 32 * 1024      # of a displayed value's text
MAX_PICTURE = 4000 * 1000
MAX_FIGURES = 20


def brief(value, left):
    """A bounded repr: huge lists must not cost more than they did as values."""
    kind = type(value)
    if kind in (str, bytes) and len(value) > left:
        return kind.__repr__(value[:left]) + "..."
    if kind not in (list, tuple, set, frozenset, dict) or not value:
        return repr(value)[:left + 1]
    if left < 16:
        return "..."
    parts = []
    size = 0
    for item in value:
        if size > left:
            parts.append("...")
            break
        text = brief(item, left - size)
        if kind is dict:
            text += ": " + brief(value[item], left - size)
        parts.append(text)
        size += len(text) + 2
    text = ", ".join(parts)
    if kind is tuple and len(value) == 1:
        text += ","
    marks = {list: "[]", tuple: "()", set: "{}", dict: "{}"}.get(kind)
    return marks[0] + text + marks[1] if marks else "frozenset({" + text + "})"


def display(channel, value):
    """Sends a value as a MIME bundle. A value that cannot be shown is none."""
    if value is None:
        return
    fields = []
    try:
        text = brief(value, MAX_REPR)
        if len(text) > MAX_REPR:
            text = text[:MAX_REPR] + "..."
        fields += ["text/plain", text]
    except Exception:
        pass
    if not isinstance(value, type):
        for name, mime in (("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"),
                           ("_repr_latex_", "text/latex"), ("_repr_svg_", "image/svg+xml"),
                           ("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg")):
            try:
                form = getattr(value, name)()
            except Exception:
                continue
            if isinstance(form, str) and len(form) <= MAX_TEXT and mime[:6] != "image/":
                fields += [mime, form]
            elif isinstance(form, str) and len(form) <= MAX_TEXT and mime == "image/svg+xml":
                fields += [mime, form]
            elif isinstance(form, bytes) and len(form) <= MAX_PICTURE // 2:
                fields += [mime, form]
    if fields:
        channel.send(b"B", join(*fields))


def send_figures(channel):
    """Sends matplotlib's open figures as pictures, if it was used at all."""
    plot = sys.modules.get("matplotlib.pyplot")
    if plot is None:
        return
    for number in plot.get_fignums()[:MAX_FIGURES]:
        buffer = _io.BytesIO()
        try:
            plot.figure(number).savefig(buffer, format="png")
        except Exception as error:
            # The program came to its end: that a figure cannot be drawn is
            # worth a word, not a failure.
            sys.stderr.write("figure %s cannot be drawn: %s: %s\n" % (number, type(error).__name__, str(error)[:500]))
            continue
        if len(buffer.getvalue()) <= MAX_PICTURE:
            channel.send(b"B", join("image/png", buffer.getvalue()))
