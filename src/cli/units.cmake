duet_folder(cli)
