// From text to sentences and words, and learning that from a treebank.
//
// Text is split into paragraphs at blank lines and into chunks at white space; a cutter finds the tokens of a chunk,
// one tagger after which tokens sentences end, another which tokens are several words. Every character of the text is
// in a token or in the spaces beside it, and both are written.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tag/tagger.hpp"
#include "tag/training.hpp"
#include "token/cutter.hpp"
#include "token/split_script.hpp"
#include "treebank/document.hpp"

namespace dynarc {

// Which tokens may be several words: those to which a script applies.
class Splits {
 public:
  explicit Splits(std::vector<std::string> scripts);
  const std::vector<std::string>& scripts() const { return scripts_; }
  bool may_apply(std::string_view token) const;

 private:
  std::vector<std::string> scripts_;
  std::unordered_map<std::string, std::uint32_t> endings_, wholes_;
  int longest_ = 0;  // ending, in characters
};

struct TokenizerOutput {
  bool ranges = false;               // TokenRange in MISC
  std::uint64_t first_sentence = 1;  // number of the first sentence
  std::uint64_t first_character = 0;
  bool starts_text = true;  // what comes first is a paragraph of its own
};

class Tokenizer {
 public:
  Tokenizer(Cutter cutter, std::shared_ptr<const Tagger> ends, std::vector<std::string> scripts,
            std::shared_ptr<const Tagger> splits);
  ~Tokenizer();

  const Cutter& cutter() const { return cutter_; }
  const Tagger& ends() const { return *ends_; }
  const Tagger& splits() const { return *split_tagger_; }
  const Splits& scripts() const { return splits_; }

  // The text, which is valid UTF-8, as CoNLL-U with forms only. Spaces that are not single ones are in MISC
  // (SpacesAfter, SpacesBefore, SpaceAfter=No).
  std::string conllu(std::string_view text, const TokenizerOutput& output, int threads) const;

 private:
  struct Token;
  struct Paragraph;
  struct Written;
  struct Work;

  std::size_t cut(std::string_view chunk, Work& work) const;
  void find_tokens(std::string_view text, const Paragraph& paragraph, Work& work) const;
  void find_sentences(Work& work) const;
  void write(std::string_view text, const Paragraph& paragraph, const TokenizerOutput& output, Work& work,
             Written& out) const;

  Cutter cutter_;
  std::shared_ptr<const Tagger> ends_;
  Splits splits_;
  std::shared_ptr<const Tagger> split_tagger_;
  // What threads that are done have left for the next ones: it is faster with what it knows.
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Work>> idle_;
};

// How a tokenizer's taggers look: whether a sentence ends; and whether a token is one word (group 0, or the first class
// of group 1) or is split by a script.
TaggerShape ends_shape();
TaggerShape splits_shape(std::size_t scripts);

struct TokenizerReport {
  std::uint64_t tokens = 0, wrong_cuts = 0, wrong_ends = 0, wrong_splits = 0;
};

class TokenizerTraining {
 public:
  TokenizerTraining(const Document& document, std::uint64_t seed);

  TokenizerReport epoch();
  std::shared_ptr<Tokenizer> tokenizer() const;

 private:
  struct Token {
    std::string form;
    bool space = true, ends = false;  // a space, the end of a sentence comes after it
    Words words;                      // if they are several
  };
  using Paragraph = std::vector<Token>;

  void read(const Document& document);
  void make_scripts();
  void make_chunks();

  std::uint64_t seed_;
  std::vector<Paragraph> paragraphs_;
  std::vector<std::string> scripts_;
  struct Chunk {
    std::string text;
    std::vector<std::uint32_t> ends;
  };
  std::vector<Chunk> chunks_;
  CutterTraining cutter_;
  std::unique_ptr<TagTraining> ends_, splits_;
  int epochs_ = 0;
};

// The characters between tokens as MISC has them, and back: \s \t \n \r \0 \p (for |) and \\.
std::string escaped_spaces(std::string_view spaces);

}  // namespace dynarc
