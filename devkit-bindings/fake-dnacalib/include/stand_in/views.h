// Views of arrays and texts, and the vector of three.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pma {

class MemoryResource;

}  // namespace pma

namespace trust {

template <typename T>
class ArrayView {
public:
    ArrayView() = default;
    ArrayView(T* first_, std::size_t count_) : first(first_), count(count_) {
    }

    T* data() const {
        return first;
    }
    std::size_t size() const {
        return count;
    }
    T* begin() const {
        return first;
    }
    T* end() const {
        return first + count;
    }
    T& operator[](std::size_t index) const {
        return first[index];
    }

private:
    T* first = nullptr;
    std::size_t count = 0;
};

}  // namespace trust

namespace dna {

template <typename T>
using ConstArrayView = trust::ArrayView<const T>;

class StringView : public ConstArrayView<char> {
public:
    using ConstArrayView<char>::ArrayView;
};

struct Vector3 {
    float x, y, z;
};

}  // namespace dna
