-- The versions of the files of templates belong to what stores copy. The next copy copies everything.
update this_store set copied_until = null;
