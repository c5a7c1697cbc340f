// What a model file holds, behind its checksums: vocabularies, labels and weights of a parser, of a tagger or of a
// tokenizer. Refused, or a model that makes trees, tags and tokens of anything.
#include "model/model.hpp"

#include "input.hpp"
#include "model/packed.hpp"
#include "tag/columns.hpp"
#include "token/tokenizer.hpp"

using namespace dynarc;
using namespace dynarc::fuzz;

namespace {

PackedWeights packed_weights(Input& input) {
  PackedWeights packed;
  packed.key_bits = input.number<std::uint8_t>();
  packed.scale = input.number<float>();
  packed.rows_of_size = input.numbers<std::uint32_t>();
  packed.keys = input.numbers<std::uint8_t>();
  packed.classes = input.numbers<std::uint16_t>();
  if (packed.scale == 0)
    packed.values = input.numbers<float>();
  else
    packed.quantised = input.numbers<std::int16_t>();
  return packed;
}

void parse(Input& input) {
  constexpr const char* kSystems[] = {"arc-eager", "arc-hybrid", "arc-standard",   "attardi",
                                      "covington", "easy-first", "arc-hybrid-swap"};
  ModelSpec spec;
  const auto choices = input.number<std::uint16_t>();
  spec.system = kSystems[choices % 7];
  spec.options = {choices & 0x100 ? RootPlace::last : RootPlace::first,
                  choices & 0x200 ? Headless::attach : Headless::forest, (choices & 0x400) != 0};
  spec.reversed = choices & 0x800;
  spec.valency_cap = input.number<std::int8_t>();
  spec.labels = {{input.number<std::uint8_t>(), {}}, input.number<std::int8_t>(), input.number<std::int8_t>()};
  spec.other = input.number<std::int8_t>();
  spec.templates = input.texts();
  for (const std::uint16_t rest : input.numbers<std::uint16_t>())
    spec.rest.push_back({static_cast<Move>(rest % kMoves), rest / kMoves - 1});
  for (const std::string& tag : input.texts()) spec.roots.push_back({tag, 0.5, static_cast<Label>(tag.size()) - 2});
  spec.labels.given = input.numbers<std::uint32_t>();
  const auto texts = input.texts();
  auto scheme = std::make_shared<Scheme>(spec);
  for (int a = 0; a < kWordAttributes; ++a) scheme->encoder().set_texts(static_cast<Attribute>(a), texts);
  const Classes& classes = scheme->classes();
  const PackedWeights first = packed_weights(input), second = packed_weights(input);
  const Model model(scheme, unpack(first, classes.count()), unpack(second, std::max(1, classes.rest_count())));
  const Document& document = sentences();
  const auto check = [&](const std::vector<Parse>& parses) {
    for (std::size_t s = 0; s < parses.size(); ++s) {
      const auto words = static_cast<Node>(document.sentence(s).words);
      must(parses[s].heads.size() == static_cast<std::size_t>(words) + 1, "every word has a head");
      for (Node d = 1; d <= words; ++d) {
        must(parses[s].heads[d] >= kRoot && parses[s].heads[d] <= words, "heads are words");
        must(parses[s].labels[d] >= kNoLabel && parses[s].labels[d] < spec.labels.count, "labels are labels");
        Node top = d;
        for (Node steps = 0; top != kRoot; top = parses[s].heads[top]) must(++steps <= words, "heads are a tree");
      }
    }
  };
  check(model.parse(document, 0, document.sentences(), 1, WeightLayout::compact));
  check(model.parse(document, 0, document.sentences(), 1, WeightLayout::folded));
  pack(model.weights(), {48, 0, true});
}

TagDictionary dictionary_of(Input& input) {
  TagDictionary dictionary{input.numbers<Key>(), input.numbers<std::uint16_t>(), input.numbers<std::int32_t>()};
  return dictionary;
}

void tag(Input& input) {
  std::vector<ColumnTagger> taggers;
  std::vector<Column> before;
  for (const Column column : {Column::upos, Column::xpos, Column::feats, Column::lemma}) {
    ColumnSpec spec{column, before, 1 + input.number<std::uint8_t>() % 4};
    ColumnClasses classes{input.texts(), {}, {}};
    for (const std::uint16_t begin : input.numbers<std::uint16_t>()) classes.begin.push_back(begin);
    classes.texts = input.texts();
    TagDictionary dictionary = dictionary_of(input);
    const PackedWeights packed = packed_weights(input);
    if (classes.begin.empty()) throw ModelFormatError("a tagger has no classes");
    auto tagger = std::make_shared<Tagger>(TaggerShape{spec.look(), classes.begin, spec.beam}, std::move(dictionary),
                                           unpack(packed, std::max(1, classes.begin.back())));
    taggers.emplace_back(spec, std::move(classes), std::move(tagger));
    before.push_back(column);
    if (input.number<std::uint8_t>() == 0) break;
  }
  Document document = sentences();
  const ColumnTaggers together(std::move(taggers));
  together.tag(document, 1, false);
  together.tag(document, 1, true);
  must(read(written(document)).problems().empty(), "what was tagged can be read");
}

void tokenize(Input& input) {
  const PackedWeights cuts = packed_weights(input), ends = packed_weights(input), splits = packed_weights(input);
  TagDictionary fixed = dictionary_of(input);
  const auto scripts = input.texts();
  const auto tagger = [](TaggerShape shape, TagDictionary dictionary, const PackedWeights& packed) {
    const int classes = std::max(1, shape.classes());
    return std::make_shared<Tagger>(std::move(shape), std::move(dictionary), unpack(packed, classes));
  };
  const Tokenizer tokenizer(Cutter(unpack(cuts, 2)), tagger(ends_shape(), std::move(fixed), ends), scripts,
                            tagger(splits_shape(scripts.size()), {}, splits));
  const std::string_view rest = input.rest();
  const std::string_view text = rest.substr(0, find_invalid_utf8(rest));
  for (const std::string_view some : {text, std::string_view("We don't sing.\n\nBirds can't! du l'eau")})
    must(read(tokenizer.conllu(some, {true}, 1)).problems().empty(), "tokens can be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  try {
    switch (input.number<std::uint8_t>() % 3) {
      case 0: parse(input); break;
      case 1: tag(input); break;
      default: tokenize(input);
    }
  } catch (const Error& error) {
    must(*error.what() != '\0', "an error says what is wrong");
  }
  return 0;
}
