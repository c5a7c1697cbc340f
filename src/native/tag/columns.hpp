// Taggers of the columns of a document: UPOS, and, within that, XPOS, FEATS and LEMMA.
#pragma once

#include <memory>
#include <mutex>
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
  // The text of a class as a number: what later columns are given.
  Key key(int choice) const { return choice < 0 ? nothing_ : keys_[static_cast<std::size_t>(choice)]; }

 private:
  ColumnSpec spec_;
  ColumnClasses classes_;
  std::shared_ptr<const Tagger> tagger_;
  std::vector<Key> keys_;
  Key nothing_;
};

// Fills columns of a document, in the order of the taggers, each given those before it. In each sentence columns in
// which no word has a value are filled; all of them if `again`.
class ColumnTaggers {
 public:
  explicit ColumnTaggers(std::vector<ColumnTagger> taggers);
  const std::vector<ColumnTagger>& taggers() const { return taggers_; }
  void tag(Document& document, int threads, bool again) const;

 private:
  struct Worker;

  std::shared_ptr<Worker> take() const;
  void give(std::size_t t, const Document& document, Worker& work, std::span<const int> upos) const;
  void find(std::size_t t, Worker& work, std::span<const Stretch> sentences, std::span<int> found) const;

  std::vector<ColumnTagger> taggers_;
  std::vector<std::vector<int>> groups_;  // of each tagger, by class of the tagger of UPOS, if that is the first
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<Worker>> idle_;
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
