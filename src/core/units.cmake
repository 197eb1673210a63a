duet_unit(core/error PLAIN)
duet_unit(core/suggest PLAIN)
duet_folder(core)
