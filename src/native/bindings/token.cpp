// Tokenizers in dynarc._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "model/packed.hpp"
#include "token/tokenizer.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

std::shared_ptr<Tagger> tagger_of(TaggerShape shape, const PackedWeights& packed, TagDictionary dictionary) {
  const int classes = std::max(1, shape.classes());
  return std::make_shared<Tagger>(std::move(shape), std::move(dictionary), unpack(packed, classes));
}

std::string conllu_of(const Tokenizer& tokenizer, const nb::bytes& text, int threads, const TokenizerOutput& output) {
  const std::string_view view(text.c_str(), text.size());
  const nb::gil_scoped_release release;
  if (find_invalid_utf8(view) != view.size()) throw ConfigError("the text is not valid UTF-8");
  return tokenizer.conllu(view, output, threads);
}

}  // namespace

void bind_token(nb::module_& m) {
  nb::class_<Tokenizer>(m, "Tokenizer")
      .def_static(
          "unpack",
          [](const PackedWeights& cuts, const PackedWeights& ends, const nb::bytes& never_ends,
             const std::vector<std::string>& scripts, const PackedWeights& splits) {
            TagDictionary fixed{values_of<Key>(never_ends), {}, {}};
            fixed.ambiguity.resize(fixed.forms.size());
            fixed.fixed.resize(fixed.forms.size());
            return std::make_shared<Tokenizer>(Cutter(unpack(cuts, 2)), tagger_of(ends_shape(), ends, std::move(fixed)),
                                               scripts, tagger_of(splits_shape(scripts.size()), splits, {}));
          },
          "cuts"_a, "ends"_a, "never_ends"_a, "scripts"_a, "splits"_a)
      .def_prop_ro("never_ends",
                   [](const Tokenizer& self) {
                     const TagDictionary& dictionary = self.ends().dictionary();
                     std::vector<Key> out;
                     for (std::size_t i = 0; i < dictionary.forms.size(); ++i)
                       if (dictionary.fixed[i] == 0) out.push_back(dictionary.forms[i]);
                     return bytes_of(out);
                   })
      .def(
          "pack",
          [](const Tokenizer& self, const std::string& part, int key_bits, double prune, bool quantised) {
            const Weights& weights = part == "cuts"   ? self.cutter().weights()
                                     : part == "ends" ? self.ends().weights()
                                                      : self.splits().weights();
            return pack(weights, {key_bits, prune, quantised});
          },
          "part"_a, "key_bits"_a, "prune"_a, "quantised"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("scripts", [](const Tokenizer& self) { return self.scripts().scripts(); })
      .def(
          "conllu",
          [](const Tokenizer& self, const nb::bytes& text, int threads, bool ranges, std::uint64_t first_sentence,
             std::uint64_t first_character, bool starts_text) {
            const std::string out =
                conllu_of(self, text, threads, {ranges, first_sentence, first_character, starts_text});
            return nb::bytes(out.data(), out.size());
          },
          "text"_a, "threads"_a, "ranges"_a = false, "first_sentence"_a = 1, "first_character"_a = 0,
          "starts_text"_a = true, "The text as CoNLL-U, with forms only.")
      .def(
          "document",
          [](const Tokenizer& self, const nb::bytes& text, int threads, bool ranges, std::uint64_t first_sentence,
             std::uint64_t first_character, bool starts_text) {
            auto out = std::make_shared<const std::string>(
                conllu_of(self, text, threads, {ranges, first_sentence, first_character, starts_text}));
            const nb::gil_scoped_release release;
            ReadOptions options;
            options.check_trees = false;
            return Document::read({out, *out}, options);
          },
          "text"_a, "threads"_a, "ranges"_a = false, "first_sentence"_a = 1, "first_character"_a = 0,
          "starts_text"_a = true, "The same as a document.");

  nb::class_<TokenizerReport>(m, "TokenizerReport")
      .def_ro("tokens", &TokenizerReport::tokens)
      .def_ro("wrong_cuts", &TokenizerReport::wrong_cuts)
      .def_ro("wrong_ends", &TokenizerReport::wrong_ends)
      .def_ro("wrong_splits", &TokenizerReport::wrong_splits);

  nb::class_<TokenizerTraining>(m, "TokenizerTraining")
      .def(
          "__init__",
          [](TokenizerTraining* self, const Document& document, std::uint64_t seed) {
            const nb::gil_scoped_release release;
            new (self) TokenizerTraining(document, seed);
          },
          "document"_a, "seed"_a = 1)
      .def("epoch", &TokenizerTraining::epoch, nb::call_guard<nb::gil_scoped_release>())
      .def("tokenizer", &TokenizerTraining::tokenizer, nb::call_guard<nb::gil_scoped_release>());

  m.def(
      "find_invalid_utf8",
      [](const nb::bytes& text) { return find_invalid_utf8(std::string_view(text.c_str(), text.size())); }, "text"_a,
      "The first byte that is not part of a valid character; the size if all is well.");
}

}  // namespace dynarc
