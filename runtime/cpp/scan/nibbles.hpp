#ifndef VPROTO_SCAN_NIBBLES_1
#define VPROTO_SCAN_NIBBLES_1

// Tables that find the classes of a byte by its two halves: it is of the classes low[c & 15] & high[c >> 4], a bit each.
//
// A set is described by its rows of sixteen bytes below 0x80: what stands in each of its members, or of the others where
// bytes above 0x7f are members too. Each different row takes a class, unless others of the same set make it up together.
// Sets share the eight classes of one pair of tables as far as they fit.
namespace vproto {

template <class... Sets>
struct nibbles {
    static constexpr std::size_t count = sizeof...(Sets);
    using test = bool (*)(unsigned char);

    struct rows_type {
        unsigned bytes[8] = {};   // of each row: a bit for each of its bytes
        unsigned classes[8] = {}; // of each row: the own rows that make it up, a bit for each
        unsigned own = 0;         // the rows that take a class
        unsigned taken = 0;       // their number
    };
    struct tables {
        unsigned char low[16] = {}, high[16] = {};
        unsigned char bits[count] = {};  // of each set; 0: it did not fit
        bool used = false;
    };

    static constexpr rows_type rows_of(test has) {
        rows_type rows;
        for (unsigned row = 0; row < 8; ++row)
            for (unsigned low = 0; low < 16; ++low)
                if (has(static_cast<unsigned char>(row * 16 + low)) != has(0xff)) rows.bytes[row] |= 1u << low;
        for (unsigned row = 0; row < 8; ++row) {
            // Rows within this one, that are not the same as a later one.
            unsigned covered = 0;
            for (unsigned other = 0; other < 8; ++other) {
                const bool within = (rows.bytes[other] & ~rows.bytes[row]) == 0 && rows.bytes[other] != 0;
                if (!within || (rows.bytes[other] == rows.bytes[row] && other >= row)) continue;
                covered |= rows.bytes[other];
            }
            if (rows.bytes[row] == 0 || covered == rows.bytes[row]) continue;
            rows.own |= 1u << row;
            ++rows.taken;
        }
        for (unsigned row = 0; row < 8; ++row)
            for (unsigned other = 0; other < 8; ++other)
                if ((rows.own >> other & 1) && (rows.bytes[other] & ~rows.bytes[row]) == 0)
                    rows.classes[row] |= 1u << other;
        return rows;
    }
    static constexpr void enter(tables& t, std::size_t set, const rows_type& rows, unsigned first) {
        unsigned bit_of[8] = {};
        for (unsigned row = 0; row < 8; ++row)
            if (rows.own >> row & 1) bit_of[row] = 1u << first++;
        for (unsigned row = 0; row < 8; ++row) {
            t.bits[set] = static_cast<unsigned char>(t.bits[set] | bit_of[row]);
            for (unsigned other = 0; other < 8; ++other)
                if (rows.classes[row] >> other & 1) t.high[row] = static_cast<unsigned char>(t.high[row] | bit_of[other]);
            for (unsigned low = 0; low < 16; ++low)
                if (rows.bytes[row] >> low & 1) t.low[low] = static_cast<unsigned char>(t.low[low] | bit_of[row]);
        }
    }
    // Sets that compares cannot find come first.
    static constexpr tables make() {
        tables t;
        const test tests[] = {&Sets::has...};
        const bool regular[] = {shape<Sets>::regular...}, even[] = {shape<Sets>::even...};
        unsigned used = 0;
        for (const bool late : {false, true}) {
            for (std::size_t set = 0; set < count; ++set) {
                const rows_type rows = rows_of(tests[set]);
                if (!even[set] || regular[set] != late || used + rows.taken > 8) continue;
                enter(t, set, rows, used);
                used += rows.taken;
                t.used = true;
            }
        }
        return t;
    }
    static constexpr tables made = make();
};

}  // namespace vproto
#endif
