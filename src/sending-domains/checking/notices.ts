import type { EmailSettings } from '../../branding/settings.ts';
import { t } from '../../language/text.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Urls } from '../../platform/settings.ts';
import {
  type AccountMessage,
  type AccountMessageSender,
  accountTemplates,
} from '../../users/account-messages/account-messages.ts';
import { manages } from '../../users/members/permissions.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import type { Check } from '../checks/check.ts';
import { nameOfOwner, ownerOf } from '../owners.ts';
import type { DomainOwner, DomainRow } from '../sending-domains.sql.ts';
import { failuresUntilNotice } from './evaluate-domain.ts';
import { selectManagersOf } from './notices.sql.ts';

interface Deps {
  accountMessages: AccountMessageSender;
  config: { urls: Urls; email: EmailSettings };
}

type State = Pick<DomainRow, 'state' | 'required_failures'>;

/** Returns the notification to send after a check, if any. */
function noticeOf(before: State, after: State): string | undefined {
  if (after.state === 'suspended') return before.state === 'suspended' ? undefined : accountTemplates.domainSuspended;
  const works = after.state === 'verified' || after.state === 'warning';
  if (works && (before.state === 'pending' || before.state === 'suspended')) return accountTemplates.domainVerified;
  const began = after.required_failures === failuresUntilNotice && before.required_failures < failuresUntilNotice;
  return works && began ? accountTemplates.domainFailing : undefined;
}

/**
 * Notifies the people who manage the domain, in the transaction of the change, so that each is told once. The platform service sends it, so
 * a broken domain cannot delay its own notification.
 */
export async function sendNotices(
  app: Deps,
  tx: Tx,
  domain: DomainRow,
  after: State,
  required: readonly Check[],
): Promise<void> {
  const template_id = noticeOf(domain, after);
  if (template_id === undefined) return;
  const { config } = app;
  const wrong = required.filter(({ verdict }) => verdict === 'fail').map(({ name }) => wordsOf.get(name) ?? name);
  await tellManagers(app, tx, domain, template_id, {
    problems: wrong.length > 0 ? wrong : [t('none')],
    fallback_domain: config.email.domain,
    effect: domain.hold ? t('Its emails wait') : t('Its emails come from {domain}', { domain: config.email.domain }),
  });
}

const whyRetired = {
  taken: t('another owner has published its ownership record'),
  expired: t('its records were not published within 30 days'),
};

/** Tells the people who manage a domain that was never verified. */
export function sendRetirementNotice(
  app: Deps,
  tx: Tx,
  domain: DomainRow,
  why: keyof typeof whyRetired,
): Promise<void> {
  return tellManagers(app, tx, domain, accountTemplates.domainRetired, { reason: whyRetired[why] });
}

async function tellManagers(
  app: Deps,
  tx: Tx,
  domain: DomainRow,
  template_id: string,
  values: AccountMessage['personalisation'],
): Promise<void> {
  const owner = ownerOf(domain);
  const people = (await selectManagersOf(tx, owner)).filter(
    ({ permissions }) => owner.scope !== 'service' || manages(permissions),
  );
  const owner_name = await nameOfOwner(tx, owner);
  const url = pageUrl(app.config.urls.admin, pathOf(owner));
  for (const { name, email_address } of people) {
    const personalisation = { ...values, name, owner_name, domain: domain.name, url };
    await app.accountMessages.send(tx, { template_id, to: email_address, personalisation });
  }
}

/** The words for each required check. */
const wordsOf = new Map([
  ['ownership', t('the ownership record')],
  ['dkim', t('the record of the signature')],
  ['provider-records', t('a record of the provider')],
  ['alignment', t('the signature does not match the domain')],
  ['spf', t('the SPF record')],
]);

function pathOf(owner: DomainOwner): string {
  switch (owner.scope) {
    case 'service':
      return `/services/${owner.service_id}/settings/email/domain`;
    case 'organisation':
      return `/organisations/${owner.organisation_id}/domain`;
    case 'installation':
      return '/operator/domains';
  }
}
