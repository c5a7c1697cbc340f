// Errors of the engine. The bindings turn each into the Python exception of the same name.
#pragma once

#include <stdexcept>
#include <string>

namespace dynarc {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct TreeError : Error {  // a tree or a configuration that is not one
  using Error::Error;
};
struct IllegalTransition : Error {
  using Error::Error;
};
struct ConfigError : Error {  // an option that does not exist or does not go with the others
  using Error::Error;
};
struct ModelFormatError : Error {  // a model file that is damaged, or none
  using Error::Error;
};
struct OracleError : Error {  // the oracle is undefined here
  using Error::Error;
};
struct AutomatonError : Error {  // an automaton that is none, or that cannot do what is asked of it
  using Error::Error;
};
// The exact answer was not found within the limit on work: training skips the state and counts it.
struct SearchLimit : OracleError {
  using OracleError::OracleError;
};

}  // namespace dynarc
