func bpBit(b bool) uint64 {
	var v uint64
	if b {
		v = 1
	}
	return v
}

func bpMark(s []byte, phase int) int {
	v := uint32(s[0]) | uint32(s[1])<<8
	if phase > 0 {
		v |= uint32(s[2]) << 16
	}
	return int(v >> phase & 0xffff)
}

func bpShift(to []byte, s []byte, phase int) {
	for i := range to {
		v := uint32(s[i])
		if i+1 < len(s) {
			v |= uint32(s[i+1]) << 8
		}
		to[i] = byte(v >> phase)
	}
}

type bpReader struct {
	s     []byte
	at    int
	limit int
	short bool
}

func (r *bpReader) Take(n int) uint64 {
	n = min(n, r.limit-r.at)
	at := r.at
	r.Skip(n)
	if n <= 0 || r.short {
		return 0
	}
	p, phase := r.s[at/8:], at%8
	if len(p) < 9 {
		var last [9]byte
		copy(last[:], p)
		p = last[:]
	}
	v := binary.LittleEndian.Uint64(p)>>phase | uint64(p[8])<<(64-phase)
	return v & (1<<n - 1)
}

func (r *bpReader) Skip(n int) {
	if n > 0 {
		r.move(max(r.at, min(r.at+n, r.limit)))
	}
}

func (r *bpReader) move(to int) {
	if r.short || to > len(r.s)*8 {
		r.short = true
		return
	}
	r.at = to
}

func (r *bpReader) Enter() int {
	start, outer := r.at, r.limit
	r.limit = min(outer, start+max(16, int(r.Take(16))))
	return outer
}

func (r *bpReader) Leave(outer int) {
	r.move(r.limit)
	r.limit = outer
}

func (r *bpReader) Done() bool {
	return r.short || r.at >= r.limit
}

func (r *bpReader) Stop() {
	if r.at < r.limit {
		r.limit = r.at
	}
}

func (r *bpReader) Limit() int { return r.limit }

func (r *bpReader) SetLimit(limit int) { r.limit = limit }
