// Figures: the samples of a run as compact bytes, stored so that the run can be scored again
// without reading any response. Decoding restores the samples to the last bit: names and tags of
// evals in order, undefined values undefined. Bytes from any source may be decoded: damage is an
// error, never a crash. Pure; safe from any thread.
//
// The layout, version 4 (numbers are LEB128, a text is its length and its bytes):
//   "VF" version
//   evals, Samples::kNoEval first and without its name: name, number of tags, tags,
//     number of kinds of checks; for each: kind, passed, failed, errors
//   number of samples
//   column of eval numbers; column of passes, one bit each, lowest first
//   latency, cost, prompt tokens, completion tokens, output quality, structure score, fitness,
//   each a byte for its form, then its values:
//     form 0: eight bytes each, IEEE 754, lowest first
//     form 1: whole numbers: 0 for undefined, else the number + 1
//     form 2: nothing: all are undefined
//   number of samples that ended in an error; why the first one did, a text
//   0, or 1 and the places: column of numbers in the plan, column of case rows, column of repeats
// Version 3 has no places, no checks, and one eval for all samples without a name. Version 2 also
// has no errors, version 1 only the first four columns and no form 2. All can still be read.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "score/samples.h"

namespace vibe::score {

std::string encode_figures(const Samples& samples);
base::Result<Samples> decode_figures(std::string_view bytes);  // Code::store_damaged, store_newer

}  // namespace vibe::score
