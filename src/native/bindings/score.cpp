// Evaluation in dynarc._core. Tables cross as bytes: 32-bit numbers, (correct, gold, system) by sentence and metric.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "score/bootstrap.hpp"
#include "score/protocols.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

using namespace score;

constexpr const char* kRefusals[] = {"empty", "roots", "unknown head", "cycle",     "no form",
                                     "text",  "word",  "length",       "sentences", "span"};

// Names of dynarc.evaluation.
Scored scored_of(const std::string& protocol) {
  if (protocol == "full") return Scored::all;
  if (protocol == "nopunct") return Scored::not_punct_label;
  if (protocol == "conll") return Scored::not_punct_form;
  if (protocol == "ptb") return Scored::not_punct_tag;
  throw nb::value_error("no protocol for the same words");
}

void check_size(std::size_t given, std::size_t forms) {
  if (given != forms) throw nb::value_error("one entry per distinct form is needed");
}

nb::bytes table_bytes(const Evaluation& e) {
  const auto& tallies = e.table.tallies();
  return nb::bytes(reinterpret_cast<const char*>(tallies.data()), tallies.size() * sizeof(Tally));
}

std::vector<std::tuple<int, int, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> bins(
    const std::vector<BinTally>& all) {
  std::vector<std::tuple<int, int, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>> out;
  for (const BinTally& b : all)
    out.emplace_back(b.from, b.to == kNoLimit ? -1 : b.to, b.words, b.heads, b.correct, b.sentences, b.exact);
  return out;
}

using PyDraws = std::tuple<double, double, double, std::pair<double, double>, std::pair<double, double>,
                           std::pair<double, double>, std::int64_t>;

std::vector<PyDraws> run_bootstrap(const std::vector<nb::bytes>& first, const std::vector<nb::bytes>& second,
                                   std::size_t metrics, const std::vector<std::size_t>& chosen, int draws,
                                   std::uint64_t seed, double level) {
  BootstrapInput in;
  for (const auto* side : {&first, &second})
    for (const nb::bytes& table : *side)
      in.systems.emplace_back(reinterpret_cast<const Tally*>(table.data()), table.size() / sizeof(Tally));
  in.first = first.size();
  in.metrics = metrics;
  in.chosen = chosen;
  in.draws = draws;
  in.seed = seed;
  in.level = level;
  if (first.empty() || metrics == 0 || draws < 0) throw nb::value_error("nothing to draw from");
  for (const std::size_t m : chosen)
    if (m >= metrics) throw nb::value_error("no such metric");
  for (const auto& table : in.systems)
    if (table.empty() || table.size() % metrics != 0 || table.size() != in.systems[0].size())
      throw nb::value_error("tables of different sizes");
  std::vector<MetricDraws> found;
  {
    const nb::gil_scoped_release release;
    found = bootstrap(in);
  }
  const auto pair = [](const Interval& i) { return std::pair(i.lower, i.upper); };
  std::vector<PyDraws> out;
  for (const MetricDraws& d : found)
    out.emplace_back(d.first, d.second, d.difference, pair(d.first_interval), pair(d.second_interval), pair(d.interval),
                     d.flips);
  return out;
}

}  // namespace

void bind_score(nb::module_& m) {
  nb::class_<Evaluation>(m, "Evaluation", "What was counted for two documents.")
      .def_ro("metrics", &Evaluation::metrics)
      .def_prop_ro("table", &table_bytes)
      .def_prop_ro("scored",
                   [](const Evaluation& e) {
                     return nb::bytes(reinterpret_cast<const char*>(e.scored.data()), e.scored.size());
                   })
      .def_prop_ro(
          "labels",
          [](const Evaluation& e) {
            std::vector<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>>
                out;
            for (const LabelTally& l : e.labels)
              out.emplace_back(l.label, l.gold, l.system, l.heads, l.labels, l.correct);
            return out;
          })
      .def_prop_ro("distances", [](const Evaluation& e) { return bins(e.distances); })
      .def_prop_ro("lengths", [](const Evaluation& e) { return bins(e.lengths); })
      .def_prop_ro("columns",
                   [](const Evaluation& e) {
                     std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> out;
                     for (const ColumnTally& c : e.columns)
                       out.emplace_back(kColumnNames[static_cast<int>(c.column)], c.equal, c.words);
                     return out;
                   })
      .def_ro("words", &Evaluation::words)
      .def_ro("system_words", &Evaluation::system_words)
      .def_ro("punctuation", &Evaluation::punctuation)
      .def_ro("unknown_heads", &Evaluation::unknown_heads)
      .def_ro("unattached", &Evaluation::unattached)
      .def_ro("aligned", &Evaluation::aligned)
      .def_ro("aligned_content", &Evaluation::aligned_content)
      .def_ro("tags_from_xpos", &Evaluation::tags_from_xpos)
      .def_ro("bad_deps_line", &Evaluation::bad_deps_line)
      .def_ro("bad_deps_in_system", &Evaluation::bad_deps_in_system);

  nb::class_<Refusal>(m, "Refusal", "Why two documents cannot be compared.")
      .def_prop_ro("kind", [](const Refusal& r) { return kRefusals[static_cast<int>(r.kind)]; })
      .def_ro("in_system", &Refusal::in_system)
      .def_ro("sentence", &Refusal::sentence)
      .def_ro("gold_line", &Refusal::gold_line)
      .def_ro("system_line", &Refusal::system_line)
      .def_ro("number", &Refusal::number)
      .def_ro("gold_text", &Refusal::gold_text)
      .def_ro("system_text", &Refusal::system_text);

  nb::class_<Pair>(m, "Pair", "A gold document and one of a system, to be compared.")
      .def(nb::init<const Document&, const Document&>(), "gold"_a, "system"_a)
      .def("forms",
           [](Pair& p) {
             const Numbering& forms = p.forms();
             nb::typed<nb::list, nb::str> out;
             for (std::size_t i = 0; i < forms.size(); ++i) {
               const std::string_view form = forms.text(static_cast<Number>(i));
               out.append(nb::str(form.data(), form.size()));
             }
             return out;
           })
      .def(
          "official",
          [](Pair& p, std::vector<std::string> bare, std::vector<Number> lowered, std::vector<Number> bare_lowered) {
            for (const std::size_t size : {bare.size(), lowered.size(), bare_lowered.size()})
              check_size(size, p.forms().size());
            const FormTable table{std::move(bare), std::move(lowered), std::move(bare_lowered)};
            const nb::gil_scoped_release release;
            return p.official(table);
          },
          "bare"_a, "lowered"_a, "bare_lowered"_a)
      .def(
          "same_words",
          [](Pair& p, const std::string& protocol, const std::vector<bool>& punctuation) {
            const Scored scored = scored_of(protocol);
            if (scored == Scored::not_punct_form) check_size(punctuation.size(), p.forms().size());
            const nb::gil_scoped_release release;
            return p.same_words(scored, punctuation);
          },
          "protocol"_a, "punctuation"_a);

  m.def("bootstrap", &run_bootstrap, "first"_a, "second"_a, "metrics"_a, "chosen"_a, "draws"_a, "seed"_a, "level"_a);
}

}  // namespace dynarc
