// Fields: makes the names of base/fields.h available in this folder.
#pragma once

#include "base/fields.h"
#include "check/reading.h"

namespace vibe::check {

using base::Field;
using base::field;
using base::Fields;
using base::first_key;
using base::fits;
using base::kMaxFields;
using base::own_key;
using base::Range;
using base::report_type;
using base::Section;
using base::takes;
using base::Type;

}  // namespace vibe::check
