// What each file of bindings adds to dynarc._core; core.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace dynarc {

void bind_treebank(nanobind::module_& m);
void bind_learn(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_confidence(nanobind::module_& m);
void bind_features(nanobind::module_& m);
void bind_trees(nanobind::module_& m);
void bind_score(nanobind::module_& m);
void bind_generic(nanobind::module_& m);
void bind_tag(nanobind::module_& m);
void bind_token(nanobind::module_& m);

}  // namespace dynarc
