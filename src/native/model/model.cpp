#include "model/model.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "parse/easy_first_parser.hpp"
#include "systems/registry.hpp"

namespace dynarc {

namespace {

std::span<const Move> moves_of(const std::string& system) {
  return with_system(
      system, []<class System>(std::type_identity<System>) { return std::span<const Move>(System::kMovesUsed); });
}

}  // namespace

Scheme::Scheme(ModelSpec spec)
    : spec_(std::move(spec)),
      templates_(spec_.templates),
      encoder_(templates_, spec_.xpos ? Column::xpos : Column::upos),
      classes_(moves_of(spec_.system), spec_.labels) {
  const bool pairs = spec_.system == EasyFirst::kName;
  if (pairs != templates_.uses(Place::pair) ||
      (pairs && (templates_.uses(Place::stack) || templates_.uses(Place::buffer))))
    throw ConfigError(pairs ? "features for easy-first are about P2 P1 F1 F2 N1 N2, not about stack and buffer"
                            : "features about P2 P1 F1 F2 N1 N2 are for easy-first; " + spec_.system +
                                  " has a stack S0 S1 .. and a buffer B0 B1 ..");
}

std::unique_ptr<AnyParser> Model::parser() const {
  const ModelSpec& spec = scheme_->spec();
  return with_system(spec.system, [&]<class System>(std::type_identity<System>) -> std::unique_ptr<AnyParser> {
    using Decoder = std::conditional_t<std::is_same_v<System, EasyFirst>, EasyFirstParser, Parser<System>>;
    return std::make_unique<Decoder>(System(spec.options), scheme_->classes(), scheme_->templates(), scheme_->encoder(),
                                     spec.valency_cap, weights_, spec.other);
  });
}

std::vector<Parse> Model::parse(const Document& document, std::size_t first, std::size_t last, int threads) const {
  std::vector<Parse> out(last - first);
  in_parallel(first, last, threads, [&] {
    return [&, parser = this->parser(), words = EncodedSentence()](std::size_t i) mutable {
      scheme_->encoder().encode(document, i, words);
      parser->parse(words, out[i - first]);
    };
  });
  return out;
}

}  // namespace dynarc
