#pragma once
/// All lessons that the judge knows; CMake writes the definition (cmake/DuetLesson.cmake).
#include "lesson.h"

namespace duet::lessons {

std::vector<Lesson> all_lessons();

}  // namespace duet::lessons
