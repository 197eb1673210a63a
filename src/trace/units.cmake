duet_unit(trace/record PLAIN)
duet_unit(trace/recorder PLAIN)
duet_folder(trace)
