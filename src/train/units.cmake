duet_folder(train)
