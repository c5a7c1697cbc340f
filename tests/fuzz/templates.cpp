// The language of feature templates, one template a line: an error that says where, or features of any sentence.
#include "input.hpp"
#include "model/model.hpp"

using namespace dynarc;
using namespace dynarc::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const auto choices = input.number<std::uint8_t>();
  ModelSpec spec;
  spec.templates = Input::lines(input.rest());
  spec.system = choices & 1 ? "easy-first" : choices & 2 ? "arc-hybrid-swap" : "arc-eager";
  spec.xpos = choices & 4;
  spec.reversed = choices & 8;
  spec.labels = {{2, {}}, 1, 1};
  spec.other = 0;
  try {
    auto scheme = std::make_shared<Scheme>(spec);
    for (int a = 0; a < kWordAttributes; ++a)
      scheme->encoder().set_texts(static_cast<Attribute>(a), {"We", "w1", "Number=Plur", "NOUN"});
    const int classes = scheme->classes().count();
    // One row, so that there is something to look for.
    const auto weights = [](int count) { return Weights({1}, {0, 1}, {0}, {1}, count); };
    const Model model(scheme, weights(classes), weights(std::max(1, scheme->classes().rest_count())));
    const auto trees = [&](WeightLayout layout) {
      std::vector<std::vector<Node>> heads;
      for (const Parse& parse : model.parse(sentences(), 0, sentences().sentences(), 1, layout))
        heads.push_back(parse.heads);
      return heads;
    };
    must(trees(WeightLayout::compact) == trees(WeightLayout::folded), "trees do not depend on the layout");
  } catch (const Error& error) {
    must(*error.what() != '\0', "an error says what is wrong");
  }
  return 0;
}
