// Training and parsing in dynarc._core. Labels cross as numbers; what they are called is kept in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "base/simd.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"
#include "learn/training.hpp"
#include "model/packed.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

Learner learner_of(const std::string& name) {
  if (name == "perceptron") return Learner::perceptron;
  if (name == "passive-aggressive") return Learner::passive_aggressive;
  if (name == "adagrad-rda") return Learner::adagrad_rda;
  throw ConfigError("there is no learner " + name);
}

std::shared_ptr<Scheme> scheme_with(const ModelSpec& spec, const std::vector<std::vector<std::string>>& texts) {
  auto scheme = std::make_shared<Scheme>(spec);
  if (texts.size() != kWordAttributes) throw ModelFormatError("the model has not the vocabularies it should");
  for (int a = 0; a < kWordAttributes; ++a) scheme->encoder().set_texts(static_cast<Attribute>(a), texts[a]);
  return scheme;
}

WeightLayout layout_of(const std::string& name) {
  if (name == "auto") return WeightLayout::automatic;
  if (name == "compact") return WeightLayout::compact;
  if (name == "folded") return WeightLayout::folded;
  throw ConfigError("there is no layout '" + name + "' of weights (there are: auto, compact, folded)");
}

using PyTree = std::tuple<std::size_t, std::vector<Node>, std::vector<Label>>;  // sentence, heads, labels
using PyParse = std::tuple<std::vector<Node>, std::vector<Label>>;
using PyPrices = std::tuple<std::vector<Cost>, std::vector<Cost>>;  // of heads, of labels

}  // namespace

void bind_learn(nb::module_& m) {
  nb::class_<ModelSpec>(m, "ModelSpec", "What a model is made of, but for its vocabularies and weights.")
      .def(
          "__init__",
          [](ModelSpec* self, const std::string& system, bool root_last, bool attach, bool single_root,
             const std::vector<std::string>& templates, bool xpos, int valency_cap, int labels, int word_labels,
             int first_root_label, Label other, const std::vector<std::tuple<int, Label>>& rest, bool reversed,
             const std::vector<std::uint32_t>& label_values,
             const std::vector<std::tuple<std::string, double, Label>>& roots) {
            std::vector<RootChoice::Tag> root_tags;
            for (const auto& [tag, share, label] : roots) root_tags.push_back({tag, share, label});
            std::vector<RestLabel> rest_labels;
            for (const auto& [move, label] : rest) {
              if (move < 0 || move >= kMoves) throw ModelFormatError("the model has no such label");
              rest_labels.push_back({static_cast<Move>(move), label});
            }
            new (self) ModelSpec{system,
                                 {root_last ? RootPlace::last : RootPlace::first,
                                  attach ? Headless::attach : Headless::forest, single_root},
                                 templates,
                                 xpos,
                                 valency_cap,
                                 {{labels, label_values}, word_labels, first_root_label},
                                 other,
                                 std::move(rest_labels),
                                 reversed,
                                 std::move(root_tags)};
          },
          "system"_a, "root_last"_a, "attach"_a, "single_root"_a, "templates"_a, "xpos"_a, "valency_cap"_a, "labels"_a,
          "word_labels"_a, "first_root_label"_a, "other"_a, "rest"_a = std::vector<std::tuple<int, Label>>{},
          "right_to_left"_a = false, "label_values"_a = std::vector<std::uint32_t>{},
          "roots"_a = std::vector<std::tuple<std::string, double, Label>>{});

  nb::class_<LearnOptions>(m, "LearnOptions")
      .def(
          "__init__",
          [](LearnOptions* self, bool fixed, const std::string& learner, bool random_best, int after_epoch,
             double probability, bool reduce_when_possible, double aggressiveness, bool cost_sensitive, bool max_loss,
             double price_unit, std::uint64_t seed, bool sample, double alpha, double rho, double l1, bool legal_only,
             double least_gradient, bool canonical) {
            new (self) LearnOptions{fixed ? OracleKind::fixed : OracleKind::dynamic,
                                    learner_of(learner),
                                    {random_best, after_epoch, probability, sample},
                                    reduce_when_possible ? ReduceRule::can : ReduceRule::must,
                                    aggressiveness,
                                    cost_sensitive,
                                    max_loss,
                                    alpha,
                                    rho,
                                    l1,
                                    legal_only,
                                    least_gradient,
                                    price_unit,
                                    seed,
                                    canonical};
          },
          "fixed"_a, "learner"_a, "random_best"_a, "after_epoch"_a, "probability"_a, "reduce_when_possible"_a,
          "aggressiveness"_a, "cost_sensitive"_a, "max_loss"_a, "price_unit"_a, "seed"_a, "sample"_a = false,
          "alpha"_a = 1.0, "rho"_a = 0.01, "l1"_a = 0.0, "legal_only"_a = false, "least_gradient"_a = kLeastGradient,
          "canonical"_a = false);

  nb::class_<EpochReport>(m, "EpochReport")
      .def_ro("sentences", &EpochReport::sentences)
      .def_ro("words", &EpochReport::words)
      .def_ro("states", &EpochReport::states)
      .def_ro("updates", &EpochReport::updates)
      .def_ro("explored", &EpochReport::explored)
      .def_ro("off_path", &EpochReport::off_path)
      .def_ro("skipped", &EpochReport::skipped)
      .def_ro("given_up", &EpochReport::given_up);

  nb::class_<PackedWeights>(m, "PackedWeights", "Weights as a model file holds them.")
      .def(
          "__init__",
          [](PackedWeights* self, int key_bits, const nb::bytes& rows_of_size, const nb::bytes& keys,
             const nb::bytes& classes, int class_bytes, const nb::bytes& values, float scale) {
            PackedWeights packed;
            packed.key_bits = key_bits;
            packed.rows_of_size = values_of<std::uint32_t>(rows_of_size);
            packed.keys = values_of<std::uint8_t>(keys);
            if (class_bytes == 1) {
              const auto narrow = values_of<std::uint8_t>(classes);
              packed.classes.assign(narrow.begin(), narrow.end());
            } else {
              packed.classes = values_of<std::uint16_t>(classes);
            }
            packed.scale = scale;
            if (scale == 0)
              packed.values = values_of<float>(values);
            else
              packed.quantised = values_of<std::int16_t>(values);
            new (self) PackedWeights(std::move(packed));
          },
          "key_bits"_a, "rows_of_size"_a, "keys"_a, "classes"_a, "class_bytes"_a, "values"_a, "scale"_a)
      .def_ro("key_bits", &PackedWeights::key_bits)
      .def_ro("scale", &PackedWeights::scale)
      .def_prop_ro("rows_of_size", [](const PackedWeights& packed) { return bytes_of(packed.rows_of_size); })
      .def_prop_ro("keys", [](const PackedWeights& packed) { return bytes_of(packed.keys); })
      .def(
          "classes",
          [](const PackedWeights& packed, int width) {
            return width == 1 ? bytes_of(std::vector<std::uint8_t>(packed.classes.begin(), packed.classes.end()))
                              : bytes_of(packed.classes);
          },
          "width"_a)
      .def_prop_ro("values", [](const PackedWeights& packed) {
        return packed.scale == 0 ? bytes_of(packed.values) : bytes_of(packed.quantised);
      });

  nb::class_<Model>(m, "Model")
      .def(
          "pack",
          [](const Model& model, int key_bits, double prune, bool quantised, bool rest) {
            return pack(rest ? model.rest() : model.weights(), {key_bits, prune, quantised});
          },
          "key_bits"_a, "prune"_a, "quantised"_a, "rest"_a = false, nb::call_guard<nb::gil_scoped_release>())
      .def_static(
          "unpack",
          [](const ModelSpec& spec, const std::vector<std::vector<std::string>>& texts, PackedWeights& packed,
             const PackedWeights& rest) {
            const nb::gil_scoped_release release;
            auto scheme = scheme_with(spec, texts);
            const Classes& classes = scheme->classes();
            return std::make_shared<Model>(scheme, unpack(std::move(packed), classes.count()),
                                           unpack(rest, std::max(1, classes.rest_count())));
          },
          "spec"_a, "texts"_a, "packed"_a, "rest"_a, "`packed` is used up.")
      .def("set_guide", &Model::set_guide, "guide"_a, "labels"_a)
      .def_prop_rw("sharpness", &Model::sharpness, &Model::set_sharpness,
                   "What scores are multiplied by before they become probabilities.")
      .def_prop_ro("folded", &Model::folded, "Whether sums of features are kept while parsing.")
      .def_prop_ro("has_rest", [](const Model& model) { return model.scheme().classes().has_rest(); })
      .def_prop_ro("texts",
                   [](const Model& model) {
                     std::vector<std::vector<std::string>> out;
                     for (int a = 0; a < kWordAttributes; ++a)
                       out.push_back(model.scheme().encoder().texts(static_cast<Attribute>(a)));
                     return out;
                   })
      .def_prop_ro("keys", [](const Model& model) { return bytes_of(model.weights().keys()); })
      .def_prop_ro("begin", [](const Model& model) { return bytes_of(model.weights().begin()); })
      .def_prop_ro("labels", [](const Model& model) { return bytes_of(model.weights().labels()); })
      .def_prop_ro("values", [](const Model& model) { return bytes_of(model.weights().values()); })
      .def_prop_ro("classes", [](const Model& model) { return model.scheme().classes().count(); })
      .def_prop_ro("features", [](const Model& model) { return model.weights().keys().size(); })
      .def_prop_ro("weights", [](const Model& model) { return model.weights().values().size(); })
      .def(
          "parse",
          [](const Model& model, const Document& document, std::size_t first, std::size_t last, int threads,
             const std::string& layout) {
            if (first > last || last > document.sentences()) throw nb::index_error("no such sentences");
            std::vector<Parse> found;
            {
              const nb::gil_scoped_release release;
              found = model.parse(document, first, last, threads, layout_of(layout));
            }
            std::vector<PyParse> out;
            for (const Parse& parse : found) out.emplace_back(words_only(parse.heads), words_only(parse.labels));
            return out;
          },
          "document"_a, "first"_a, "last"_a, "threads"_a, "layout"_a = "auto")
      .def(
          "parsed",
          [](const Model& model, const Document& document, int threads, const std::vector<std::string>& labels,
             const std::string& layout) {
            const nb::gil_scoped_release release;
            Document out(document);
            const auto found = model.parse(document, 0, document.sentences(), threads, layout_of(layout));
            std::vector<std::uint32_t> numbers;
            for (const std::string& label : labels) numbers.push_back(out.text_number(label));
            for (std::size_t i = 0; i < found.size(); ++i) out.set_tree(i, found[i].heads, found[i].labels, numbers);
            return out;
          },
          "document"_a, "threads"_a, "labels"_a, "layout"_a = "auto",
          "A copy of the document with the trees of the parser in it.");

  nb::class_<Training>(m, "Training")
      .def(
          "__init__",
          [](Training* self, const ModelSpec& spec, const Document& document, const std::vector<PyTree>& trees,
             int min_count, const LearnOptions& options, const std::vector<PyParse>& guides,
             const std::vector<PyPrices>& prices, const Model* start, const std::vector<Label>& labels_now) {
            if (!prices.empty() && prices.size() != trees.size()) throw TreeError("there are not prices for each tree");
            if (!guides.empty() && guides.size() != trees.size()) throw TreeError("there is not a guide for each tree");
            std::vector<TrainingTree> all;
            for (const auto& [sentence, heads, labels] : trees) {
              if (sentence >= document.sentences() || heads.size() != document.sentence(sentence).words)
                throw TreeError("a tree has not as many heads as its sentence has words");
              const std::vector<Cost> ones(heads.size() + 1, 1);
              all.push_back({sentence, with_root(heads, kNone), with_root(labels, kNoLabel), ones, ones});
              if (!prices.empty()) {
                const auto& [arcs, of_labels] = prices[all.size() - 1];
                if (arcs.size() != heads.size() || of_labels.size() != heads.size())
                  throw TreeError("there is not a price for each word");
                all.back().prices = with_root(arcs, Cost{0});
                all.back().label_prices = with_root(of_labels, Cost{0});
              }
              if (guides.empty()) continue;
              const auto& [guide_heads, guide_labels] = guides[all.size() - 1];
              if (guide_heads.size() != heads.size() || guide_labels.size() != heads.size())
                throw TreeError("a guide has not as many heads as its sentence has words");
              all.back().guide_heads = with_root(guide_heads, kNone);
              all.back().guide_labels = with_root(guide_labels, kNoLabel);
            }
            const nb::gil_scoped_release release;
            if (start == nullptr) {
              new (self) Training(spec, document, all, min_count, options);
            } else {
              new (self) Training(spec, document, all, min_count, options, *start, labels_now);
            }
          },
          "spec"_a, "document"_a, "trees"_a, "min_count"_a, "options"_a, "guides"_a = std::vector<PyParse>{},
          "prices"_a = std::vector<PyPrices>{}, "start"_a = nb::none(), "labels_now"_a = std::vector<Label>{},
          "With `start`, goes on with the weights of that model; `labels_now` are the new numbers of its labels.")
      .def("epoch", &Training::epoch, nb::call_guard<nb::gil_scoped_release>())
      .def("state",
           [](const Training& training) {
             const std::string state = training.state();
             return nb::bytes(state.data(), state.size());
           })
      .def(
          "restore",
          [](Training& training, const nb::bytes& state) { training.restore({state.c_str(), state.size()}); },
          "state"_a)
      .def(
          "model",
          [](const Training& training, const std::vector<const Training*>& others) {
            return std::make_shared<Model>(training.model(others));
          },
          "others"_a = std::vector<const Training*>{}, nb::call_guard<nb::gil_scoped_release>());

  m.def(
      "check_templates", [](const std::vector<std::string>& texts) { Templates{texts}; }, "texts"_a,
      "Raises ConfigError, with the column, at the first template that is wrong.");
  m.def(
      "likelihood_gradient",
      [](const std::vector<float>& scores, const std::vector<bool>& wanted) {
        if (scores.size() != wanted.size()) throw nb::value_error("one score and one answer for each");
        Likelihood likelihood;
        likelihood.start();
        for (std::size_t i = 0; i < scores.size(); ++i) likelihood.add(scores[i], wanted[i]);
        const std::span<const double> found = likelihood.gradient();
        return std::vector<double>(found.begin(), found.end());
      },
      "scores"_a, "wanted"_a, "Of the logarithm of the probability of what is wanted, by the score of each.");
  m.def("exponential", &exponential, "x"_a, "The engine's own, which learners use.");
  m.def("attribute_names", &attribute_names);
  m.def("use_simd", &use_simd, "name"_a,
        "For tests: which vectors sums are made with: portable, avx2, avx512, or auto for what DYNARC_SIMD says.");
  m.def("simd", [] { return std::string(name_of(simd())); }, "Which vectors are used.");
  m.attr("word_attributes") = kWordAttributes;
}

}  // namespace dynarc
