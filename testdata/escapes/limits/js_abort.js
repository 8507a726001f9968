// tries: end by a signal of its own
// must: be told as that signal
// expect: status=killed
// expect: signal=SIGABRT
process.abort();
