import { getOrganisation } from '../../organisations/organisations.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Urls } from '../../platform/settings.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import { getUserRecord } from '../../users/user-record.ts';

interface Deps {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
}

/** Sent to the signer, and to the person on whose behalf it was signed, if any. */
export async function sendAgreementReceipts(app: Deps, tx: Tx, organisationId: string, signerId: string) {
  const organisation = await getOrganisation(tx, organisationId);
  const signer = await getUserRecord(tx, signerId);
  const other = organisation.agreement_signed_on_behalf_of_email_address;
  if (other && !parseEmailAddress(other).ok) {
    throw invalidField('agreement_signed_on_behalf_of_email_address', 'Not a valid email address');
  }
  const base = app.config.urls.admin;
  const personalisation = {
    mou_link: pageUrl(base, `/agreement/${organisation.crown ? 'crown' : 'non-crown'}.pdf`),
    org_name: organisation.name,
    org_dashboard_link: pageUrl(base, `/organisations/${organisation.id}`),
    signed_by_name: signer.name,
    on_behalf_of_name: organisation.agreement_signed_on_behalf_of_name || other || '',
  };
  const { agreementSigned, agreementSignedForOther, agreementSignedByOther } = accountTemplates;
  if (other) {
    await app.accountMessages.send(tx, { template_id: agreementSignedByOther, to: other, personalisation });
  }
  await app.accountMessages.send(tx, {
    template_id: other ? agreementSignedForOther : agreementSigned,
    to: signer.email_address,
    personalisation,
  });
}
