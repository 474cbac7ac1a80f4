-- A receipt that came before its hand-over is counted with it: whether the receiver blames the sender, not the address.
alter table delivery_queue add blames_sender boolean;
