#include "parse/confidence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/exponential.hpp"
#include "base/parallel.hpp"
#include "parse/probabilities.hpp"
#include "parse/search.hpp"

namespace dynarc {

namespace {

double odds(double log_probability) {
  const double other = -std::expm1(std::min(log_probability, 0.0));
  if (other <= 0) return Evidence::kMostOdds;
  return std::clamp(log_probability - std::log(other), -Evidence::kMostOdds, Evidence::kMostOdds);
}

double logistic(double x) { return x >= 0 ? 1 / (1 + exponential(-x)) : 1 - 1 / (1 + exponential(x)); }

// Arcs less likely than this are not worth remembering that they could have been built.
constexpr double kLeastPassed = 1e-3;
// Of shares of samples less is not known.
constexpr double kLeastShare = 0.01;
// Longer sentences are not sampled: each sample begins at the first word.
constexpr int kMostSampledWords = 1000;

double share_odds(double share) {
  share = std::clamp(share, kLeastShare, 1 - kLeastShare);
  return std::log(share / (1 - share));
}

}  // namespace

SureParser::SureParser(const Model& model, int samples)
    : stepper_(make_stepper(model)), model_(model), samples_(samples) {}

void SureParser::parse(const EncodedSentence& words, SureParse& out, const Gold* gold, ChoiceScores* choices) {
  decisions_.clear();
  passed_.clear();
  built_.assign(static_cast<std::size_t>(words.words()) + 1, {});
  out.states.clear();
  out.right.clear();
  stepper_->start(words);
  bool judged = gold != nullptr;
  if (judged) stepper_->follow(*gold);
  while (!stepper_->is_final()) {
    const std::span<const Offer> offers = stepper_->offers();
    const Pick best = best_pick(*stepper_, offers);
    if (!best) break;
    const Choice choice = offers[best.offer].choice;
    const bool forced = offers.size() == 1 && choice.last - choice.first == 1;
    if (!forced) {
      const auto of_offer = [](const Offer& offer) {
        return log_sum([&](auto&& add) {
          for (int c = offer.choice.first; c < offer.choice.last; ++c) add(offer.logits[c]);
        });
      };
      std::vector<double> actions;
      for (const Offer& offer : offers) actions.push_back(of_offer(offer));
      const double all = log_sum([&](auto&& add) { std::ranges::for_each(actions, add); });
      const double taken = offers[best.offer].logits[best.label];
      double next = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < offers.size(); ++i)
        for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c)
          if (i != best.offer || c != best.label) next = std::max(next, offers[i].logits[c]);
      Decision decision{actions[best.offer] - all, taken - actions[best.offer], taken - all};
      decision.margin = std::clamp(taken - next, -Evidence::kMostOdds, Evidence::kMostOdds);
      for (std::size_t i = 0; i < offers.size(); ++i) {
        const Arc arc = offers[i].choice.arc;
        if (i == best.offer || !arc) continue;
        const double likely = std::exp(actions[i] - all);
        if (likely >= kLeastPassed) passed_.push_back({arc, std::log1p(-std::min(likely, 1 - 1e-9))});
      }
      if (judged) {
        try {
          judge(offers, best, decision.taken, *gold, out, choices);
        } catch (const SearchLimit&) {
          judged = false;  // what follows costs too much to judge
          stepper_->follow_no_more();
        }
      }
      decisions_.push_back(decision);
    }
    if (choice.arc)
      built_[static_cast<std::size_t>(choice.arc.dependent)] = {static_cast<std::ptrdiff_t>(decisions_.size()) - 1,
                                                                forced};
    stepper_->apply(choice, best.label);
  }
  stepper_->finish(out.parse);
  collect(words, out);
  if (samples_ > 0 && choices == nullptr && words.words() <= kMostSampledWords) sample(words, out);
}

// How many of some derivations have the parser's arcs, if each transition is drawn by its probability. Samples that
// have gone the same way so far are one: where they part, the most go on and the others are kept for later. A sample
// counts for an arc by the probability with which it builds it, not by whether it does: the mean is the same, the noise
// less. What the end of a derivation adds and mends is counted as it is.
void SureParser::sample(const EncodedSentence& words, SureParse& out) {
  const auto n = static_cast<std::size_t>(words.words());
  arcs_.assign(n + 1, 0);
  labels_.assign(n + 1, 0);
  trail_.clear();
  branches_.clear();
  Rng rng(n);
  Parse parse, built;
  stepper_->start(words);
  for (int samples = samples_;;) {
    while (!stepper_->is_final()) {
      const Step step = sampled_step(samples, rng, out.parse);
      if (step.label < 0) break;
      trail_.push_back(step);
      stepper_->apply(step.choice, step.label);
    }
    stepper_->finish(parse);
    built.heads.assign(n + 1, kNone);
    built.labels.assign(n + 1, kNoLabel);
    for (const auto& [choice, label] : trail_) {
      if (!choice.arc) continue;
      built.heads[choice.arc.dependent] = choice.arc.head;
      built.labels[choice.arc.dependent] = stepper_->classes().label(label);
    }
    for (std::size_t d = 1; d <= n; ++d) {
      const auto has = [&](const Parse& p) { return p.heads[d] == out.parse.heads[d]; };
      const auto has_label = [&](const Parse& p) { return has(p) && p.labels[d] == out.parse.labels[d]; };
      arcs_[d] += samples * (has(parse) - has(built));
      labels_[d] += samples * (has_label(parse) - has_label(built));
    }
    if (branches_.empty()) break;
    const Branch next = branches_.back();
    branches_.pop_back();
    trail_.resize(next.depth);
    trail_.push_back(next.step);
    samples = next.samples;
    stepper_->start(words);
    for (const Step& step : trail_) stepper_->apply(step.choice, step.label);
  }
  for (std::size_t d = 1; d <= n; ++d) {
    out.words[d].x[Evidence::sampled] = static_cast<float>(share_odds(arcs_[d] / samples_));
    out.words[d].x[Evidence::sampled_label] = static_cast<float>(share_odds(labels_[d] / samples_));
  }
}

// Parts the samples that are in this state, each class getting its share, rounded up or down at random. Gives the step
// of the most, and leaves those in `samples`.
SureParser::Step SureParser::sampled_step(int& samples, Rng& rng, const Parse& parse) {
  const std::span<const Offer> offers = stepper_->offers();
  log_probabilities(offers, logs_);
  const double shift = rng.uniform();
  const int all = samples;
  Step most{{}, -1};
  samples = 0;
  double sum = 0;
  int given = 0;
  std::size_t i = 0;
  for (const Offer& offer : offers) {
    const Arc arc = offer.choice.arc;
    const bool same = arc && parse.heads[arc.dependent] == arc.head;
    for (int c = offer.choice.first; c < offer.choice.last; ++c) {
      const double share = exponential(logs_[i++]) * all;
      if (same) arcs_[arc.dependent] += share;
      if (same && parse.labels[arc.dependent] == stepper_->classes().label(c)) labels_[arc.dependent] += share;
      sum += share;
      const int upto = i == logs_.size() ? all : std::min(all, static_cast<int>(sum + shift));
      const Step step{offer.choice, c};
      const int own = upto - given;
      if (own > samples) {
        if (samples > 0) branches_.push_back({trail_.size(), most, samples});
        most = step;
        samples = own;
      } else if (own > 0) {
        branches_.push_back({trail_.size(), step, own});
      }
      given = upto;
    }
  }
  return most;
}

void SureParser::judge(std::span<const Offer> offers, const Pick& best, double probability, const Gold& gold,
                       SureParse& out, ChoiceScores* choices) {
  const Classes& classes = stepper_->classes();
  std::vector<Cost> costs;
  for (const Offer& offer : offers) costs.push_back(stepper_->cost(offer.choice.action));
  const auto price = [&](std::size_t i, int c) {
    return costs[i] + gold.label_cost(offers[i].choice.arc, classes.label(c));
  };
  Cost least = price(best.offer, best.label);
  const Cost of_best = least;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c) least = std::min(least, price(i, c));
  Evidence state;
  state.x[Evidence::arc] = static_cast<float>(odds(probability));
  state.x[Evidence::path] = static_cast<float>(probability);
  out.states.push_back(state);
  out.right.push_back(of_best == least);
  if (choices == nullptr) return;
  for (std::size_t i = 0; i < offers.size(); ++i)
    for (int c = offers[i].choice.first; c < offers[i].choice.last; ++c) {
      choices->scores.push_back(static_cast<float>(offers[i].scores[c]));
      choices->wanted.push_back(static_cast<char>(price(i, c) == least));
    }
  choices->ends.push_back(choices->scores.size());
}

void SureParser::collect(const EncodedSentence& words, SureParse& out) const {
  const int n = words.words();
  out.words.assign(static_cast<std::size_t>(n) + 1, {});
  std::vector<double> path(decisions_.size() + 1, 0);
  double worst = 0;
  for (std::size_t i = 0; i < decisions_.size(); ++i) {
    path[i + 1] = path[i] + decisions_[i].taken;
    worst = std::min(worst, decisions_[i].taken);
  }
  std::vector<double> none(static_cast<std::size_t>(n) + 1, 0), most(none);
  for (const Passed& passed : passed_) {
    const auto d = static_cast<std::size_t>(passed.arc.dependent);
    if (out.parse.heads[d] == passed.arc.head) continue;  // built later
    none[d] += passed.log_not;
    most[d] = std::min(most[d], passed.log_not);
  }
  const int tags = model_.scheme().encoder().slot(Attribute::tag);
  const int forms = model_.scheme().encoder().slot(Attribute::form);
  const auto unknown = [&](Node node) {
    return forms >= 0 && node != kRoot && words.value(forms, node) == kUnknownValue;
  };
  for (Node d = 1; d <= n; ++d) {
    Evidence& e = out.words[static_cast<std::size_t>(d)];
    const auto put = [&](Evidence::Column column, double value) { e.x[column] = static_cast<float>(value); };
    const Built& built = built_[static_cast<std::size_t>(d)];
    const Node head = out.parse.heads[d];
    const bool decided = built.decision >= 0 && !built.forced;
    const Decision own = decided ? decisions_[static_cast<std::size_t>(built.decision)] : Decision{};
    const double arc = odds(own.action);
    put(Evidence::arc, arc);
    put(Evidence::doubtful, std::min(arc, 2.0));
    put(Evidence::label, odds(own.label));
    put(Evidence::sampled, share_odds(std::exp(own.action)));
    put(Evidence::sampled_label, share_odds(std::exp(own.action + own.label)));
    put(Evidence::margin, own.margin);
    put(Evidence::passed, odds(none[d]));
    put(Evidence::most_passed, odds(most[d]));
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(decisions_.size()) - 1;
    const auto taken = [&](std::ptrdiff_t i) {
      return i < 0 || i > last ? Evidence::kMostOdds : odds(decisions_[static_cast<std::size_t>(i)].taken);
    };
    put(Evidence::before, taken(built.forced ? built.decision : built.decision - 1));
    put(Evidence::after, taken(built.decision + 1));
    put(Evidence::path, std::max(-20.0, path[static_cast<std::size_t>(std::max<std::ptrdiff_t>(built.decision, 0))]));
    put(Evidence::sentence, std::max(-10.0, path.back() / std::max<double>(1, static_cast<double>(decisions_.size()))));
    put(Evidence::worst, odds(worst));
    put(Evidence::length, std::log(static_cast<double>(n)));
    put(Evidence::from_root, head == kRoot);
    put(Evidence::head_left, head != kRoot && head < d);
    put(Evidence::distance, head == kRoot ? 0 : std::log(static_cast<double>(std::abs(head - d))));
    put(Evidence::afterwards, built.decision < 0 && !built.forced);
    e.deprel = out.parse.labels[d];
    e.tag = static_cast<std::int32_t>(words.value(tags, d));
    e.head_tag = static_cast<std::int32_t>(words.value(tags, head));
    put(Evidence::unknown, unknown(d));
    put(Evidence::head_unknown, unknown(head));
  }
  for (Node d = 1; d <= n; ++d) out.words[d].x[Evidence::dependents] = Evidence::kMostOdds;
  for (Node d = 1; d <= n; ++d) {
    const Node head = out.parse.heads[d];
    Evidence& e = out.words[static_cast<std::size_t>(d)];
    e.x[Evidence::head] = head == kRoot ? static_cast<float>(Evidence::kMostOdds)
                                        : out.words[static_cast<std::size_t>(head)].x[Evidence::arc];
    if (head == kRoot) continue;
    float& least = out.words[static_cast<std::size_t>(head)].x[Evidence::dependents];
    least = std::min(least, e.x[Evidence::arc]);
  }
}

namespace {

// Encodes sentences, and gives each with its gold tree to `use`.
template <class Use>
void each_sentence(const Model& model, const Document& document, const std::vector<std::shared_ptr<const Gold>>& golds,
                   std::size_t i, EncodedSentence& words, Use&& use) {
  model.encode(document, i, words);
  use(golds.empty() ? nullptr : golds[i].get());
}

}  // namespace

std::vector<SureParse> sure_parses(const Model& model, const Document& document,
                                   const std::vector<std::shared_ptr<const Gold>>& golds, int samples, int threads) {
  std::vector<SureParse> out(document.sentences());
  in_parallel(0, out.size(), threads, [&] {
    return [&, parser = std::make_unique<SureParser>(model, samples),
            words = EncodedSentence()](std::size_t i) mutable {
      each_sentence(model, document, golds, i, words, [&](const Gold* gold) { parser->parse(words, out[i], gold); });
      if (!model.scheme().spec().reversed) return;
      reverse_tree(out[i].parse.heads, out[i].parse.labels);
      reverse_words(out[i].words);
    };
  });
  return out;
}

ChoiceScores choice_scores(const Model& model, const Document& document,
                           const std::vector<std::shared_ptr<const Gold>>& golds, std::size_t states) {
  ChoiceScores out;
  SureParser parser(model, 0);
  EncodedSentence words;
  SureParse parse;
  for (std::size_t i = 0; i < document.sentences() && out.ends.size() < states; ++i)
    each_sentence(model, document, golds, i, words, [&](const Gold* gold) { parser.parse(words, parse, gold, &out); });
  return out;
}

double likeliest_sharpness(const ChoiceScores& choices) {
  const auto likelihood = [&](double log_sharpness) {
    const double sharpness = std::exp(log_sharpness);
    double sum = 0;
    std::size_t from = 0;
    for (const std::size_t to : choices.ends) {
      double most = -std::numeric_limits<double>::infinity(), all = 0, wanted = 0;
      for (std::size_t i = from; i < to; ++i) most = std::max(most, sharpness * choices.scores[i]);
      for (std::size_t i = from; i < to; ++i) {
        const double power = exponential(sharpness * choices.scores[i] - most);
        all += power;
        if (choices.wanted[i]) wanted += power;
      }
      sum += std::log(std::max(wanted / all, 1e-12));
      from = to;
    }
    return sum;
  };
  if (choices.ends.empty()) return 1;
  // The likelihood rises to one peak and falls again, but for what is cut off: golden sections between what is far too
  // flat and far too sharp.
  double low = std::log(0x1p-16), high = std::log(0x1p4);
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = likelihood(a), at_b = likelihood(b);
  while (high - low > 0.01) {
    if (at_a >= at_b) {
      high = b, b = a, at_b = at_a;
      at_a = likelihood(a = high - kGolden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = likelihood(b = low + kGolden * (high - low));
    }
  }
  return std::exp((low + high) / 2);
}

namespace {

// A row of numbers that weights are for: 1, the columns that are used, the deprel, the tags.
class Rows {
 public:
  Rows(std::span<const Evidence> evidence, std::uint32_t columns, bool kinds) : evidence_(evidence) {
    for (int c = 0; c < Evidence::kColumns; ++c)
      if ((columns >> c & 1) != 0) columns_.push_back(c);
    for (std::size_t k = 0; kinds && k < kKinds.size(); ++k)
      for (const Evidence& e : evidence) counts_[k] = std::max(counts_[k], static_cast<std::size_t>(e.*kKinds[k] + 1));
  }

  std::size_t size() const { return 1 + columns_.size() + counts_[0] + counts_[1] + counts_[2]; }
  const std::vector<int>& columns() const { return columns_; }
  std::size_t count(std::size_t kind) const { return counts_[kind]; }

  // Calls f(place, value) for what is not 0, in order of places.
  template <class F>
  void each(std::size_t row, F&& f) const {
    const Evidence& e = evidence_[row];
    f(std::size_t{0}, 1.0);
    for (std::size_t i = 0; i < columns_.size(); ++i) f(1 + i, static_cast<double>(e.x[columns_[i]]));
    std::size_t first = 1 + columns_.size();
    for (std::size_t k = 0; k < kKinds.size(); first += counts_[k++])
      if (const std::int32_t kind = e.*kKinds[k]; kind >= 0 && static_cast<std::size_t>(kind) < counts_[k])
        f(first + static_cast<std::size_t>(kind), 1.0);
  }

 private:
  std::span<const Evidence> evidence_;
  std::vector<int> columns_;
  static constexpr std::array<std::int32_t Evidence::*, 3> kKinds{&Evidence::deprel, &Evidence::tag,
                                                                  &Evidence::head_tag};
  std::array<std::size_t, 3> counts_{};
};

// Solves a * x = b for a symmetric positive definite matrix, which is overwritten (Cholesky).
std::vector<double> solve(std::vector<double>& a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    double* const row = &a[j * n];
    for (std::size_t k = 0; k < j; ++k) {
      const double* const other = &a[k * n];
      double sum = row[k];
      for (std::size_t i = 0; i < k; ++i) sum -= row[i] * other[i];
      row[k] = sum / other[k];
    }
    double sum = row[j];
    for (std::size_t i = 0; i < j; ++i) sum -= row[i] * row[i];
    row[j] = std::sqrt(std::max(sum, 1e-12));
    for (std::size_t i = 0; i < j; ++i) b[j] -= row[i] * b[i];
    b[j] /= row[j];
  }
  for (std::size_t j = n; j-- > 0;) {
    b[j] /= a[j * n + j];
    for (std::size_t i = 0; i < j; ++i) b[i] -= a[j * n + i] * b[j];
  }
  return b;
}

constexpr double kRidge = 5.0;

// Newton's method on the log-likelihood less kRidge / 2 times the squares of all weights but the first.
std::vector<double> logistic_weights(const Rows& rows, const std::vector<bool>& right) {
  const std::size_t size = rows.size();
  std::vector<double> weights(size, 0);
  std::vector<std::pair<std::size_t, double>> row;
  const auto objective = [&](const std::vector<double>& w) {
    double sum = 0;
    for (std::size_t r = 0; r < right.size(); ++r) {
      double x = 0;
      rows.each(r, [&](std::size_t i, double value) { x += w[i] * value; });
      const double towards = right[r] ? x : -x;  // log(1 / (1 + e^-x)), for great x of both signs
      sum += towards >= 0 ? -std::log1p(exponential(-towards)) : towards - std::log1p(exponential(towards));
    }
    for (std::size_t i = 1; i < size; ++i) sum -= kRidge / 2 * w[i] * w[i];
    return sum;
  };
  double now = objective(weights);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> gradient(size, 0), curvature(size * size, 0);
    for (std::size_t r = 0; r < right.size(); ++r) {
      row.clear();
      double x = 0;
      rows.each(r, [&](std::size_t i, double value) {
        row.emplace_back(i, value);
        x += weights[i] * value;
      });
      const double p = logistic(x), slope = p * (1 - p), miss = (right[r] ? 1.0 : 0.0) - p;
      for (std::size_t i = 0; i < row.size(); ++i) {
        gradient[row[i].first] += miss * row[i].second;
        double* const line = &curvature[row[i].first * size];
        for (std::size_t k = 0; k <= i; ++k) line[row[k].first] += slope * row[i].second * row[k].second;
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0) gradient[i] -= kRidge * weights[i];
      curvature[i * size + i] += i > 0 ? kRidge : 1e-9;
    }
    const std::vector<double> step = solve(curvature, gradient);
    double part = 1, next = 0;
    std::vector<double> moved(size);
    for (; part > 1e-6; part /= 2) {
      for (std::size_t i = 0; i < size; ++i) moved[i] = weights[i] + part * step[i];
      next = objective(moved);
      if (next >= now) break;
    }
    if (part <= 1e-6) break;
    weights = moved;
    if (next - now < 1e-7 * std::abs(now)) break;
    now = next;
  }
  return weights;
}

// A line that rises, through the means of neighbouring values (pool adjacent violators, over parts of equal size).
void fit_line(const std::vector<double>& values, const std::vector<bool>& right, ProbabilityMap& out) {
  struct Part {
    double value = 0, right = 0, count = 0;
    double share() const { return right / count; }
  };
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  const std::size_t least = std::max<std::size_t>(25, order.size() / 100);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Equal values stay together.
    const bool same = i > 0 && values[order[i]] == values[order[i - 1]];
    if (parts.empty() || (!same && parts.back().count >= static_cast<double>(least))) parts.emplace_back();
    parts.back().value += values[order[i]];
    parts.back().right += right[order[i]];
    parts.back().count += 1;
  }
  std::vector<Part> pooled;
  for (const Part& part : parts) {
    pooled.push_back(part);
    while (pooled.size() > 1 && pooled[pooled.size() - 2].share() >= pooled.back().share()) {
      const Part last = pooled.back();
      pooled.pop_back();
      pooled.back().value += last.value;
      pooled.back().right += last.right;
      pooled.back().count += last.count;
    }
  }
  for (const Part& part : pooled) {
    const double share = (part.right + 0.5) / (part.count + 1);
    out.knots.push_back(part.value / part.count);
    out.values.push_back(out.values.empty() ? share : std::max(share, out.values.back()));
  }
}

}  // namespace

double ProbabilityMap::operator()(const Evidence& evidence) const {
  double x = bias;
  for (std::size_t c = 0; c < columns.size() && c < Evidence::kColumns; ++c) x += columns[c] * evidence.x[c];
  const auto of_kind = [&](const std::vector<double>& weights, std::int32_t kind) {
    return kind >= 0 && static_cast<std::size_t>(kind) < weights.size() ? weights[static_cast<std::size_t>(kind)] : 0;
  };
  x += of_kind(deprels, evidence.deprel) + of_kind(tags, evidence.tag) + of_kind(head_tags, evidence.head_tag);
  const double p = logistic(x);
  if (knots.empty()) return p;
  const auto above = std::ranges::upper_bound(knots, p) - knots.begin();
  if (above == 0) return values.front();
  if (above == std::ssize(knots)) return values.back();
  const auto i = static_cast<std::size_t>(above);
  return values[i - 1] + (values[i] - values[i - 1]) * (p - knots[i - 1]) / (knots[i] - knots[i - 1]);
}

ProbabilityMap fit_map(std::span<const Evidence> evidence, const std::vector<bool>& right, std::uint32_t columns,
                       bool kinds, bool line) {
  if (evidence.size() != right.size()) throw TreeError("there is not an outcome for all evidence");
  const Rows rows(evidence, columns, kinds);
  const std::vector<double> weights = logistic_weights(rows, right);
  ProbabilityMap out;
  out.bias = weights[0];
  out.columns.assign(Evidence::kColumns, 0);
  std::size_t at = 1;
  for (const int c : rows.columns()) out.columns[static_cast<std::size_t>(c)] = weights[at++];
  const auto take = [&](std::vector<double>& to, std::size_t count) {
    to.assign(weights.begin() + static_cast<std::ptrdiff_t>(at),
              weights.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  };
  take(out.deprels, rows.count(0));
  take(out.tags, rows.count(1));
  take(out.head_tags, rows.count(2));
  if (!line) return out;
  std::vector<double> values;
  for (const Evidence& e : evidence) values.push_back(out(e));
  fit_line(values, right, out);
  return out;
}

}  // namespace dynarc
