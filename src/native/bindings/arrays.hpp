// Arrays of numbers as bytes of Python, in which model files are made.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace dynarc {

template <class T>
nanobind::bytes bytes_of(const std::vector<T>& values) {
  return nanobind::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(const nanobind::bytes& bytes) {
  if (bytes.size() % sizeof(T) != 0) throw ModelFormatError("an array of weights is cut short");
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.c_str(), bytes.size());
  return out;
}

}  // namespace dynarc
