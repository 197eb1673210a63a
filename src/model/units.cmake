duet_folder(model)
