// The classes of labels with marks that a treebank of lifted trees needs.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "treebank/pseudo_projective.hpp"

namespace dynarc {

// A frozen list of encoded labels, each with a dense number. Made by counting all trees first: an encoded label that is
// too rare to be learned gives up its marks, which for that arc is the baseline. Plain labels are never given up.
//
// Numbers depend on what was counted, not on its order: plain labels come first, by number, then the others, sorted.
class EncodedLabels {
 public:
  class Counter {
   public:
    void add(const std::vector<EncodedLabel>& labels);  // of one tree; entry 0 is ROOT's and is not counted
    EncodedLabels keep(std::size_t min_count) const;

   private:
    std::map<EncodedLabel, std::size_t> counts_;
  };

  std::size_t size() const { return classes_.size(); }
  const EncodedLabel& operator[](std::size_t id) const { return classes_.at(id); }

  // The number of a label with its marks or, if that is rare or new, of the label alone; -1 if that is new too.
  int find(const EncodedLabel& label) const;

  // Takes the marks from every arc whose encoded label is not in the list.
  void rewrite(std::vector<EncodedLabel>& labels) const;

 private:
  explicit EncodedLabels(std::vector<EncodedLabel> classes);

  std::vector<EncodedLabel> classes_;
  std::map<EncodedLabel, int> ids_;
};

}  // namespace dynarc
