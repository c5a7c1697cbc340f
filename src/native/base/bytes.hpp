// Values as bytes and back, for what is only ever read by the same version on the same kind of machine.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace dynarc {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <class T, class Allocator>
  void put(const std::vector<T, Allocator>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
  }
  template <class T, class Allocator>
  void get(std::vector<T, Allocator>& values) {
    std::size_t size = 0;
    get(size);
    if (size > bytes_.size() / sizeof(T)) fail();
    values.resize(size);
    if (size > 0) std::memcpy(static_cast<void*>(values.data()), take(size * sizeof(T)), size * sizeof(T));
  }
  void finish() const {
    if (!bytes_.empty()) fail();
  }
  [[noreturn]] static void fail() { throw ModelFormatError("the state of a training run is damaged"); }

 private:
  const char* take(std::size_t size) {
    if (size > bytes_.size()) fail();
    const char* const start = bytes_.data();
    bytes_.remove_prefix(size);
    return start;
  }

  std::string_view bytes_;
};

}  // namespace dynarc
