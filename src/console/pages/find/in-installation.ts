import { listEmailBrandsInUse } from '../../../branding/email-branding.ts';
import { listLetterBrandsInUse } from '../../../branding/letter-branding.ts';
import { asIs, t } from '../../../language/text.ts';
import { findByUuid } from '../../../operations/find-by-uuid.ts';
import { findOrganisationsByName } from '../../../organisations/organisations.ts';
import { isUuid } from '../../../platform/id.ts';
import { findServicesByName } from '../../../services/services.ts';
import { findUsersByEmail } from '../../../users/users.ts';
import { may } from '../../access/may.ts';
import { type Finder, type Group, groupOf } from './finder.ts';

/** Additional results for operators: everything with this text in its name or address. */
export async function findInInstallation({ app, visitor, text }: Finder): Promise<Group[]> {
  if (may('operator', visitor.user) !== 'yes') return [];
  const [services, organisations, people, emails, letters] = await Promise.all([
    findServicesByName(app.db, text),
    findOrganisationsByName(app.db, text),
    findUsersByEmail(app, text),
    listEmailBrandsInUse(app.db),
    listLetterBrandsInUse(app.db),
  ]);
  const has = ({ name }: { name: string }) => name.toLowerCase().includes(text.toLowerCase());
  return [
    groupOf(t('Services'), services, ({ id, name }) => ({ label: name, to: `/operator/services/${id}` })),
    groupOf(t('Organisations'), organisations, ({ id, name }) => ({
      label: name,
      to: `/organisations/${id}/settings`,
    })),
    groupOf(t('People'), people, ({ id, name, email_address }) => ({
      label: email_address,
      about: asIs(name),
      to: `/operator/people/${id}`,
    })),
    groupOf(t('Email brands'), emails.filter(has), ({ id, name }) => ({
      label: name,
      to: `/operator/branding/email/${id}`,
    })),
    groupOf(t('Letter brands'), letters.filter(has), ({ id, name }) => ({
      label: name,
      to: `/operator/branding/letter/${id}`,
    })),
  ];
}

/** Returns the page of the object with this id, or of its owner. People who are not operators find only objects of their own services. */
export async function findId({ app, visitor: { user }, text }: Finder): Promise<string | undefined> {
  const id = text.toLowerCase();
  const found = isUuid(id) ? await findByUuid(app.db, id) : undefined;
  if (!found) return undefined;
  const { type, context } = found;
  const service = type === 'service' ? id : context.service_id;
  if (may('operator', user) === 'yes') {
    return (
      pageOfThing(type, id, service, user.platform_admin) ??
      pageOfOperator(type, id) ??
      (service && `/operator/services/${service}`) ??
      (context.organisation_id && `/organisations/${context.organisation_id}/settings`) ??
      (context.user_id && `/operator/people/${context.user_id}`)
    );
  }
  const isOwn = service !== undefined && Object.hasOwn(user.permissions, service);
  return isOwn ? (pageOfThing(type, id, service, true) ?? `/services/${service}`) : undefined;
}

/** The page checks the right, and rejects people who lack it. */
function pageOfThing(
  type: string,
  id: string,
  service: string | undefined,
  mayReadMessages: boolean,
): string | undefined {
  if (type === 'template') return `/services/${service}/templates/${id}`;
  if (!mayReadMessages) return undefined;
  switch (type) {
    case 'notification':
      return `/services/${service}/messages/${id}`;
    case 'job':
    case 'upload':
      return `/services/${service}/files/${id}`;
    case 'service_contact_list':
      return `/services/${service}/contact-lists/${id}`;
    case 'api_key':
      return `/services/${service}/integration/keys`;
    default:
      return undefined;
  }
}

function pageOfOperator(type: string, id: string): string | undefined {
  switch (type) {
    case 'service':
      return `/operator/services/${id}`;
    case 'organisation':
      return `/organisations/${id}/settings`;
    case 'user':
      return `/operator/people/${id}`;
    case 'email_branding':
      return `/operator/branding/email/${id}`;
    case 'letter_branding':
      return `/operator/branding/letter/${id}`;
    case 'provider':
      return `/operator/providers/${id}`;
    default:
      return undefined;
  }
}
