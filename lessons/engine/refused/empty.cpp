// A file without the function: it must not link.
