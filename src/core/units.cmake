duet_unit(core/error PLAIN)
duet_folder(core)
