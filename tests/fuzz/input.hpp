// What a fuzz target is given, read piece by piece. Whatever the bytes are, they mean something: numbers that are cut
// short are filled with zeros, pieces end where the bytes do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "treebank/document.hpp"

namespace dynarc::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  template <class T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof(T));
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  // So many bytes as the two before them say, or as there are.
  std::string_view piece() { return take(number<std::uint16_t>()); }
  template <class T>
  std::vector<T> numbers() {
    const std::string_view bytes = piece();
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  // The lines of a piece. They are valid Unicode, as what comes from Python is.
  std::vector<std::string> texts() {
    const std::string_view text = piece();
    return lines(text.substr(0, find_invalid_utf8(text)));
  }
  std::string_view rest() { return take(rest_.size()); }

  static std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> found;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      found.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return found;
  }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
};

// In memory of exactly its size, so that the sanitizers see whoever reads beyond it.
inline Document read(std::string_view text, const ReadOptions& options = {}) {
  const auto exact = std::make_shared<std::vector<char>>(text.begin(), text.end());
  exact->shrink_to_fit();
  return Document::read({exact, {exact->data(), exact->size()}}, options);
}

inline std::string written(const Document& document, bool faithful = true) {
  std::string out;
  document.write(0, document.sentences(), faithful, out);
  return out;
}

// assert() that is always on.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Sentences of all kinds: with and without tags, features, ranges and empty nodes, long and of one word.
inline const Document& sentences() {
  static const Document document = [] {
    std::string text =
        "1\tWe\twe\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t_\t_\n"
        "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\tdo\tdo\tAUX\tVBP\tMood=Ind\t4\taux\t_\t_\n"
        "3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_\n"
        "4\tsing\tsing\tVERB\tVB\tNumber=Plur|VerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n"
        "4.1\tsongs\tsong\tNOUN\tNNS\t_\t_\t_\t_\t_\n"
        "5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_\n\n"
        "1\tRain\train\tNOUN\tNN\tNumber=Sing\t0\troot\t_\t_\n\n"
        "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\t\xC3\x84y\t_\t_\t_\t_\t_\t_\t_\t_\n3\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n";
    for (int i = 1; i <= 20; ++i)
      text += std::to_string(i) + "\tw" + std::to_string(i % 7) + "\t_\t" + (i % 2 ? "NOUN" : "VERB") + "\t_\t_\t" +
              std::to_string(i - 1) + "\tdep\t_\t_\n";
    return read(text + "\n");
  }();
  return document;
}

}  // namespace dynarc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
