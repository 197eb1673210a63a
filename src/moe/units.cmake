duet_folder(moe)
