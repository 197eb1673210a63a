duet_unit(model/traffic PLAIN)
duet_unit(model/time_model PLAIN)
duet_unit(model/memory_model PLAIN)
duet_folder(model)
