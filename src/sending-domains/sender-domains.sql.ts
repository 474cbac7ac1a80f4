import { jsonObjectFrom } from 'kysely/helpers/postgres';
import type { Db } from '../platform/db/database.ts';

/** Selects what is needed to send from a domain: by id, or the installation's by its name. */
export function selectSenderDomain(db: Db, which: { id: string } | { installation: string }) {
  const domains = db.selectFrom('sending_domains');
  const found =
    'id' in which
      ? domains.where('sending_domains.id', '=', which.id)
      : domains
          .where('sending_domains.scope', '=', 'installation')
          .where('sending_domains.name', '=', which.installation)
          .where('sending_domains.state', '<>', 'retired');
  return found
    .select((domain) => [
      'sending_domains.id',
      'sending_domains.name',
      'sending_domains.scope',
      'sending_domains.way',
      'sending_domains.provider',
      'sending_domains.state',
      'sending_domains.hold',
      // While bounces to it do not arrive, the installation's return path is used.
      domain
        .case()
        .when(
          domain.exists(
            domain
              .selectFrom('sending_domain_checks')
              .select('verdict')
              .whereRef('domain_id', '=', 'sending_domains.id')
              .where('check_name', '=', 'mx')
              .where('verdict', 'in', ['pass', 'warn']),
          ),
        )
        .then(domain.ref('sending_domains.return_path_domain'))
        .else(null)
        .end()
        .as('return_path_domain'),
      jsonObjectFrom(
        domain
          .selectFrom('sending_domain_keys')
          .select(['id', 'selector', 'encrypted_private_key'])
          .whereRef('domain_id', '=', 'sending_domains.id')
          .where('state', '=', 'signing'),
      ).as('key'),
    ])
    .executeTakeFirst();
}
