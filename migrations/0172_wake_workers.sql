-- Workers are woken after the commit that accepts messages, not by it: a commit that notifies holds a lock of the whole
-- server until it is on disk, so that all such commits wait for each other. A process of the version before wakes no
-- worker any more; they look twice a second.
drop trigger announce_queued on delivery_queue;
