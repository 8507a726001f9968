class Thing:
    pass
things = [Thing() for _ in range(3)]
print(things, object(), lambda: 0, sorted(map(str, things)))
