/* prepared: delivered-parts */
update message_parts
set delivered_at = $1
where reference = any ($2::text[]) and delivered_at is null
