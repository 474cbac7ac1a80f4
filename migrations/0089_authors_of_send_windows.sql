alter table send_windows add created_by_id uuid references users;
