duet_folder(parallel)
