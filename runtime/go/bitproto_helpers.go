func bpBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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
	v := uint64(0)
	for i := 0; i < n; i++ {
		bit := r.s[(at+i)/8] >> ((at + i) % 8)
		v |= uint64(bit&1) << i
	}
	return v
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
