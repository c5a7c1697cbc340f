#include "treebank/encoded_labels.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace dynarc {

void EncodedLabels::Counter::add(const std::vector<EncodedLabel>& labels) {
  for (std::size_t d = 1; d < labels.size(); ++d) ++counts_[labels[d]];
}

EncodedLabels EncodedLabels::Counter::keep(std::size_t min_count) const {
  std::set<EncodedLabel> plain, marked;
  for (const auto& [label, count] : counts_)
    if (label.plain() || count < min_count)
      plain.insert({.label = label.label});
    else
      marked.insert(label);
  std::vector<EncodedLabel> classes(plain.begin(), plain.end());
  classes.insert(classes.end(), marked.begin(), marked.end());
  return EncodedLabels(std::move(classes));
}

EncodedLabels::EncodedLabels(std::vector<EncodedLabel> classes) : classes_(std::move(classes)) {
  for (std::size_t id = 0; id < classes_.size(); ++id) ids_.emplace(classes_[id], static_cast<int>(id));
}

int EncodedLabels::find(const EncodedLabel& label) const {
  auto found = ids_.find(label);
  if (found == ids_.end()) found = ids_.find({.label = label.label});
  return found == ids_.end() ? -1 : found->second;
}

void EncodedLabels::rewrite(std::vector<EncodedLabel>& labels) const {
  for (std::size_t d = 1; d < labels.size(); ++d)
    if (!ids_.contains(labels[d])) labels[d] = {.label = labels[d].label};
}

}  // namespace dynarc
