/* prepared: services-with-keys */
select services.id, services.active, services.api_dialect, (
  select coalesce(json_agg(json_build_object('id', key.id, 'key_type', key.key_type, 'encrypted_secret',
    key.encrypted_secret, 'allowed_networks', key.allowed_networks, 'manage_templates', key.manage_templates,
    'manage_reports', key.manage_reports, 'send_over_smtp', key.send_over_smtp, 'revoked_at',
    to_char(key.expiry_date, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'expires_at',
    to_char(key.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))), '[]')
  from api_keys key
  where key.service_id = services.id
) as keys
from services
where services.id = any ($1::uuid[])
