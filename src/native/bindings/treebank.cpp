// Documents in dynarc._core. Sentences, rows and columns cross as numbers from 0, heads as in the files, None =
// unknown.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bindings/bindings.hpp"
#include "bindings/words.hpp"
#include "treebank/document.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dynarc {
namespace {

// Bytes of a Python object, which lives as long as they are used, on whatever thread that ends.
Bytes bytes_of(nb::handle object) {
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_SIMPLE) != 0) throw nb::python_error();
  const std::string_view view(static_cast<const char*>(buffer->buf), static_cast<std::size_t>(buffer->len));
  const std::shared_ptr<const void> owner(buffer.release(), [](Py_buffer* b) {
    const nb::gil_scoped_acquire gil;
    PyBuffer_Release(b);
    delete b;
  });
  return {owner, view};
}

nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

std::size_t checked(std::size_t i, std::size_t size, const char* what) {
  if (i >= size) throw nb::index_error(what);
  return i;
}

Column column_of(int column) {
  return static_cast<Column>(checked(static_cast<std::size_t>(column), kColumns, "there are ten columns"));
}

std::size_t sentence_of(const Document& d, std::size_t i) { return checked(i, d.sentences(), "no such sentence"); }

// The rows of a sentence, words only.
template <class Visit>
void each_word(const Document& d, std::size_t sentence, Visit&& visit) {
  for (std::size_t r = d.first_row(sentence_of(d, sentence)); r < d.last_row(sentence); ++r)
    if (d.kind(r) == RowKind::word) visit(r);
}

std::size_t word_row(const Document& d, std::size_t sentence, std::size_t word) {
  std::size_t left = checked(word, d.sentence(sentence_of(d, sentence)).words, "no such word") + 1;
  std::size_t r = d.first_row(sentence);
  while (d.kind(r) != RowKind::word || --left != 0) ++r;
  return r;
}

nb::typed<nb::list, nb::str> word_cells(const Document& d, std::size_t sentence, int column) {
  nb::list out;
  const Column c = column_of(column);
  each_word(d, sentence, [&](std::size_t r) { out.append(text(d.cell(r, c))); });
  return out;
}

std::vector<std::optional<Node>> word_heads(const Document& d, std::size_t sentence) {
  std::vector<std::optional<Node>> out;
  each_word(d, sentence,
            [&](std::size_t r) { out.push_back(d.head(r) == kNone ? std::nullopt : std::optional<Node>(d.head(r))); });
  return out;
}

// Kind and columns of a row.
using PyRow = nb::typed<nb::tuple, int, nb::typed<nb::tuple, nb::str, nb::ellipsis>>;

// Every row, words or not.
nb::typed<nb::list, PyRow> all_rows(const Document& d, std::size_t sentence) {
  nb::list out;
  for (std::size_t r = d.first_row(sentence_of(d, sentence)); r < d.last_row(sentence); ++r) {
    nb::list cells;
    for (int c = 0; c < kColumns; ++c) cells.append(text(d.cell(r, static_cast<Column>(c))));
    out.append(nb::make_tuple(static_cast<int>(d.kind(r)), nb::tuple(cells)));
  }
  return out;
}

// What `write` appends for sentences first..last-1.
template <class Write>
nb::bytes written(const Document& d, std::size_t first, std::size_t last, Write&& write) {
  if (first > last || last > d.sentences()) throw nb::index_error("no such sentences");
  std::string out;
  {
    const nb::gil_scoped_release release;
    write(out);
  }
  return nb::bytes(out.data(), out.size());
}

// One column of every row for Arrow: where each text begins in the data, as 64-bit numbers, and the data.
std::tuple<nb::bytes, nb::bytes> column_buffers(const Document& d, int column) {
  std::vector<std::int64_t> offsets(1, 0);
  std::string data;
  {
    const nb::gil_scoped_release release;
    offsets.reserve(d.rows() + 1);
    for (std::size_t r = 0; r < d.rows(); ++r) {
      data += d.cell(r, column_of(column));
      offsets.push_back(static_cast<std::int64_t>(data.size()));
    }
  }
  return {nb::bytes(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof offsets[0]),
          nb::bytes(data.data(), data.size())};
}

template <class T, class Value>
nb::bytes row_values(const Document& d, Value&& value) {
  std::vector<T> out;
  out.reserve(d.rows());
  for (std::size_t r = 0; r < d.rows(); ++r) out.push_back(static_cast<T>(value(r)));
  return nb::bytes(reinterpret_cast<const char*>(out.data()), out.size() * sizeof(T));
}

}  // namespace

void bind_treebank(nb::module_& m) {
  nb::class_<Document>(m, "Document",
                       "The bytes of a CoNLL-U or CoNLL-X document, where things are in them, and changes.")
      .def_static(
          "read",
          [](nb::handle source, std::uint64_t first_line, bool starts_file, bool ends_file, bool check_trees,
             bool skip_bad) {
            Bytes bytes = bytes_of(source);
            const nb::gil_scoped_release release;
            return Document::read(std::move(bytes), {first_line, starts_file, ends_file, check_trees, skip_bad});
          },
          "source"_a, "first_line"_a = 1, "starts_file"_a = true, "ends_file"_a = true, "check_trees"_a = true,
          "skip_bad"_a = false)
      .def_prop_ro("sentences", &Document::sentences)
      .def_prop_ro("rows", &Document::rows)
      .def_prop_ro("words", &Document::words)
      .def_prop_ro("lines", &Document::lines)
      .def_prop_ro("whole", &Document::whole, "No sentence was left out for its problems.")
      .def_prop_ro("changed", [](const Document& d) { return d.changed(); })
      .def_prop_ro("problems",
                   [](const Document& d) {
                     std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> out;
                     for (const Problem& p : d.problems()) out.emplace_back(p.line, p.column, p.reason);
                     return out;
                   })
      .def(
          "length", [](const Document& d, std::size_t sentence) { return d.sentence(sentence_of(d, sentence)).words; },
          "sentence"_a)
      .def(
          "line", [](const Document& d, std::size_t sentence) { return d.sentence(sentence_of(d, sentence)).line; },
          "sentence"_a)
      .def(
          "word_line",
          [](const Document& d, std::size_t sentence, std::size_t word) {
            return d.line_of(word_row(d, sentence, word));
          },
          "sentence"_a, "word"_a)
      .def("cells", &word_cells, "sentence"_a, "column"_a)
      .def("heads", &word_heads, "sentence"_a)
      .def("all_rows", &all_rows, "sentence"_a)
      .def(
          "comments",
          [](const Document& d, std::size_t sentence) { return text(d.comments(sentence_of(d, sentence))); },
          "sentence"_a)
      .def(
          "comment_value",
          [](const Document& d, std::size_t sentence, std::string_view key) -> std::optional<nb::str> {
            const std::string_view found = d.comment_value(sentence_of(d, sentence), key);
            if (found.data() == nullptr) return std::nullopt;
            return text(found);
          },
          "sentence"_a, "key"_a)
      .def(
          "set_cell",
          [](Document& d, std::size_t sentence, std::size_t word, int column, std::string_view value) {
            d.set_cell(word_row(d, sentence, word), column_of(column), value);
          },
          "sentence"_a, "word"_a, "column"_a, "value"_a)
      .def(
          "set_head",
          [](Document& d, std::size_t sentence, std::size_t word, std::optional<Node> head) {
            d.set_head(word_row(d, sentence, word), head.value_or(kNone));
          },
          "sentence"_a, "word"_a, "head"_a.none())
      .def(
          "set_tree",
          [](Document& d, std::size_t sentence, const std::vector<Node>& heads, const std::vector<Label>& labels,
             const std::vector<std::string>& texts) {
            const std::uint32_t words = d.sentence(sentence_of(d, sentence)).words;
            if (heads.size() != words || labels.size() != words)
              throw TreeError("a tree has not as many heads and labels as its sentence has words");
            for (const Label label : labels)
              if (label >= static_cast<Label>(texts.size())) throw TreeError("a label has no text");
            d.set_tree(sentence, with_root(heads, kNone), with_root(labels, kNoLabel), texts);
          },
          "sentence"_a, "heads"_a, "labels"_a, "texts"_a)
      .def(
          "set_comments",
          [](Document& d, std::size_t sentence, std::string_view lines) {
            d.set_comments(sentence_of(d, sentence), lines);
          },
          "sentence"_a, "lines"_a)
      .def(
          "write",
          [](const Document& d, std::size_t first, std::size_t last, bool faithful) {
            return written(d, first, last, [&](std::string& out) { d.write(first, last, faithful, out); });
          },
          "first"_a, "last"_a, "faithful"_a)
      .def(
          "write_conllx",
          [](const Document& d, std::size_t first, std::size_t last) {
            return written(d, first, last, [&](std::string& out) { d.write_conllx(first, last, out); });
          },
          "first"_a, "last"_a)
      .def(
          "fill", [](Document& d, int column, std::string_view value) { d.fill(column_of(column), value); }, "column"_a,
          "value"_a)
      .def("copy", [](const Document& d) { return Document(d); })
      .def("column_buffers", &column_buffers, "column"_a)
      .def("row_heads",
           [](const Document& d) { return row_values<std::int32_t>(d, [&](std::size_t r) { return d.head(r); }); })
      .def("row_kinds",
           [](const Document& d) { return row_values<std::uint8_t>(d, [&](std::size_t r) { return d.kind(r); }); })
      .def(
          "sentence_rows",
          [](const Document& d) {
            std::vector<std::int64_t> out;
            for (std::size_t i = 0; i < d.sentences(); ++i) out.push_back(static_cast<std::int64_t>(d.first_row(i)));
            out.push_back(static_cast<std::int64_t>(d.rows()));
            return nb::bytes(reinterpret_cast<const char*>(out.data()), out.size() * sizeof out[0]);
          },
          "Where each sentence's rows begin, and where the last one's end, as 64-bit numbers.");

  m.def(
      "last_boundary", [](nb::handle source) { return last_boundary(bytes_of(source).view); }, "source"_a,
      "Where the last complete sentence of the bytes ends, its blank line included; 0 if none does.");
  m.def("column_names", [] { return std::vector<std::string>(kColumnNames, kColumnNames + kColumns); });
  m.attr("MAX_LINE") = kMaxLine;
  m.attr("MAX_SENTENCE") = kMaxSentence;
}

}  // namespace dynarc
