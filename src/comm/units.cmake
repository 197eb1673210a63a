duet_folder(comm)
