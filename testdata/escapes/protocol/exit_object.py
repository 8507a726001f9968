# tries: exit with an object whose text exits again, with success
# must: be judged by the first exit, which is a failure
# expect: status=runtime_error
# expect: exit=1
class Object:
    def __str__(self):
        raise SystemExit(0)


raise SystemExit(Object())
