// tries: exhaust the stack
// must: be the program's own failure
// expect: status=runtime_error
// expect: stderr~=RangeError: Maximum call stack size exceeded
// expect: hits=
const deeper = (n) => deeper(n + 1) + 1;
deeper(0);
