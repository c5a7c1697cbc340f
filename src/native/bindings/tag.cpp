// Taggers in dynarc._core: of columns of documents.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "model/packed.hpp"
#include "tag/columns.hpp"
#include "tag/edit_script.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

Column column_of(int column) {
  if (column < 0 || column >= kColumns) throw nb::index_error("there are ten columns");
  return static_cast<Column>(column);
}

}  // namespace

void bind_tag(nb::module_& m) {
  nb::class_<ColumnSpec>(m, "ColumnSpec", "What a tagger finds, and what it is given.")
      .def(
          "__init__",
          [](ColumnSpec* self, int target, const std::vector<int>& given, int beam) {
            std::vector<Column> columns;
            for (const int column : given) columns.push_back(column_of(column));
            if (beam < 1) throw ConfigError("a beam keeps at least one history");
            new (self) ColumnSpec{column_of(target), std::move(columns), beam};
          },
          "target"_a, "given"_a, "beam"_a = 1);

  nb::class_<TagReport>(m, "TagReport")
      .def_ro("words", &TagReport::words)
      .def_ro("wrong", &TagReport::wrong)
      .def_ro("updates", &TagReport::updates);

  nb::class_<ColumnTagger>(m, "ColumnTagger")
      .def_static(
          "unpack",
          [](const ColumnSpec& spec, const std::vector<std::string>& groups, const std::vector<int>& begin,
             const std::vector<std::string>& texts, const nb::bytes& forms, const nb::bytes& ambiguity,
             const nb::bytes& fixed, const PackedWeights& packed) {
            TagDictionary dictionary{values_of<Key>(forms), values_of<std::uint16_t>(ambiguity),
                                     values_of<std::int32_t>(fixed)};
            if (begin.empty()) throw ModelFormatError("a tagger has no classes");
            auto tagger = std::make_shared<Tagger>(TaggerShape{spec.look(), begin, spec.beam}, std::move(dictionary),
                                                   unpack(packed, std::max(1, begin.back())));
            return ColumnTagger(spec, {groups, begin, texts}, std::move(tagger));
          },
          "spec"_a, "groups"_a, "begin"_a, "texts"_a, "forms"_a, "ambiguity"_a, "fixed"_a, "packed"_a)
      .def(
          "pack",
          [](const ColumnTagger& self, int key_bits, double prune, bool quantised) {
            return pack(self.tagger().weights(), {key_bits, prune, quantised});
          },
          "key_bits"_a, "prune"_a, "quantised"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("groups", [](const ColumnTagger& self) { return self.classes().groups; })
      .def_prop_ro("begin", [](const ColumnTagger& self) { return self.classes().begin; })
      .def_prop_ro("texts", [](const ColumnTagger& self) { return self.classes().texts; })
      .def_prop_ro("forms", [](const ColumnTagger& self) { return bytes_of(self.tagger().dictionary().forms); })
      .def_prop_ro("ambiguity", [](const ColumnTagger& self) { return bytes_of(self.tagger().dictionary().ambiguity); })
      .def_prop_ro("fixed", [](const ColumnTagger& self) { return bytes_of(self.tagger().dictionary().fixed); })
      .def_prop_ro("features", [](const ColumnTagger& self) { return self.tagger().weights().keys().size(); })
      .def_prop_ro("weights", [](const ColumnTagger& self) { return self.tagger().weights().values().size(); });

  nb::class_<ColumnTaggers>(m, "ColumnTaggers", "Taggers of several columns, each given those before it.")
      .def(nb::init<std::vector<ColumnTagger>>(), "taggers"_a)
      .def("tag", &ColumnTaggers::tag, "document"_a, "threads"_a, "again"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Fills columns of sentences in which no word has them; of all sentences if `again`.");

  nb::class_<ColumnTraining>(m, "ColumnTraining")
      .def(
          "__init__",
          [](ColumnTraining* self, const ColumnSpec& spec, const Document& document,
             const std::vector<std::size_t>& sentences, int min_count, int fixed_count, int explore_after,
             std::uint64_t seed, double fixed_share) {
            const nb::gil_scoped_release release;
            new (self)
                ColumnTraining(spec, document, sentences, {min_count, fixed_count, explore_after, seed, fixed_share});
          },
          "spec"_a, "document"_a, "sentences"_a, "min_count"_a = 2, "fixed_count"_a = 20, "explore_after"_a = 1,
          "seed"_a = 1, "fixed_share"_a = 1.0, nb::keep_alive<1, 3>())
      .def("epoch", &ColumnTraining::epoch, nb::call_guard<nb::gil_scoped_release>())
      .def("tagger", &ColumnTraining::tagger, nb::call_guard<nb::gil_scoped_release>());

  m.def("edit_script", &edit_script, "form"_a, "lemma"_a, "How a form becomes its lemma, as text.");
  m.def(
      "apply_script",
      [](const std::string& script, const std::string& form) -> nb::object {
        const auto lemma = apply_script(script, form);
        return lemma ? nb::object(nb::str(lemma->data(), lemma->size())) : nb::object(nb::none());
      },
      "script"_a, "form"_a, nb::sig("def apply_script(script: str, form: str) -> str | None"),
      "The lemma of a form by a script; None if it is not for such forms.");
}

}  // namespace dynarc
