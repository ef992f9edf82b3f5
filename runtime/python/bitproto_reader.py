class _bp_Reader:
    """Reads bits; those at or behind the limit are zero, those behind the bytes an error."""

    def __init__(self, s: _Bytes) -> None:
        self.s = s
        self.at = 0
        self.limit = 1 << 62
        self.end = 8 * _len(s)

    def take(self, n: _int) -> _int:
        n = _min(n, self.limit - self.at)
        if n <= 0:
            return 0
        at = self.at
        self.skip(n)
        return _int.from_bytes(self.s[at >> 3 : (at + n + 7) >> 3], "little") >> (at & 7) & ((1 << n) - 1)

    def skip(self, n: _int) -> None:
        if n > 0:
            self.move(_max(self.at, _min(self.at + n, self.limit)))

    def move(self, to: _int) -> None:
        if to > self.end:
            raise _ValueError("the bytes end before the message does")
        self.at = to

    def enter(self) -> _int:
        start, outer = self.at, self.limit
        self.limit = _min(outer, start + _max(16, self.take(16)))
        return outer

    def leave(self, outer: _int) -> None:
        self.move(self.limit)
        self.limit = outer
