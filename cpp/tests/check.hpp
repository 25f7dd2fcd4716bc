// A very small test harness: TEST(name) { CHECK(condition); }.
#pragma once

#include <cstdio>
#include <vector>

namespace check {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

}  // namespace check

#define TEST(name)                                                 \
    static void name();                                            \
    static const check::Registration register_##name(#name, name); \
    static void name()

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
            ++check::failures();                                                      \
        }                                                                             \
    } while (false)
