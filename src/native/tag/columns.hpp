// Taggers of the columns of a document: UPOS, and, within that, XPOS, FEATS and LEMMA.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tag/tagger.hpp"
#include "tag/training.hpp"
#include "treebank/document.hpp"

namespace dynarc {

struct ColumnSpec {
  Column target = Column::upos;
  std::vector<Column> given = {};  // columns that are known before, UPOS first: only what is seen with it competes
  int beam = 1;

  Look look() const { return target == Column::lemma ? Look::lemma : given.empty() ? Look::tags : Look::refined; }
};

// What the classes are: the text of the column, or the script that makes it of the form (LEMMA), for each UPOS.
struct ColumnClasses {
  std::vector<std::string> groups;  // UPOS; one empty text where that is not known before
  std::vector<int> begin = {0};     // of the classes of each group, and where the last ends
  std::vector<std::string> texts;

  int group(std::string_view upos) const;  // -1: there is none
};

class ColumnTagger {
 public:
  ColumnTagger(ColumnSpec spec, ColumnClasses classes, std::shared_ptr<const Tagger> tagger);

  const ColumnSpec& spec() const { return spec_; }
  const ColumnClasses& classes() const { return classes_; }
  const Tagger& tagger() const { return *tagger_; }

  // Fills the column in sentences in which no word has it; in all of them if `again`.
  void tag(Document& document, int threads, bool again) const;

 private:
  ColumnSpec spec_;
  ColumnClasses classes_;
  std::shared_ptr<const Tagger> tagger_;
};

class ColumnTraining {
 public:
  // Learns from these sentences, but for those in which no word has the column. The document must stay.
  ColumnTraining(ColumnSpec spec, const Document& document, const std::vector<std::size_t>& sentences,
                 const TagOptions& options);

  TagReport epoch() { return training_->epoch(); }
  ColumnTagger tagger() const { return {spec_, classes_, training_->tagger()}; }

 private:
  ColumnSpec spec_;
  ColumnClasses classes_;
  std::unique_ptr<TagTraining> training_;
};

}  // namespace dynarc
