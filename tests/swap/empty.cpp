// Defines nothing: what a student has before the first line is written.
