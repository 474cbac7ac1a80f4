import { listEmailBrandsInUse } from '../../../../branding/email-branding.ts';
import { listLetterBrandsInUse } from '../../../../branding/letter-branding.ts';
import { findByUuid } from '../../../../operations/find-by-uuid.ts';
import { findOrganisationsByName } from '../../../../organisations/organisations.ts';
import { isUuid } from '../../../../platform/id.ts';
import { findServicesByName } from '../../../../services/services.ts';
import { findUsersByEmail } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';

interface Result {
  label: string;
  /** Below /console; without it, there is no page of its own. */
  to?: string;
  about?: string;
}

export interface Results {
  groups: { title: string; results: Result[]; more: number }[];
  /** There is only one thing with this id: the search leads to it. */
  exact?: string;
}

const maxShown = 20;

/** Everything with this id, or with this text in its name or address. */
export async function findAnything(app: ConsoleApp, text: string, mayReadMessages: boolean): Promise<Results> {
  const words: string = text.toLowerCase();
  if (isUuid(text)) return findId(app, words, mayReadMessages);
  const [services, organisations, people, emails, letters] = await Promise.all([
    findServicesByName(app.db, text),
    findOrganisationsByName(app.db, text),
    findUsersByEmail(app, text),
    listEmailBrandsInUse(app),
    listLetterBrandsInUse(app),
  ]);
  const has = ({ name }: { name: string }) => name.toLowerCase().includes(words);
  const groups = [
    groupOf('Services', services, ({ id, name }) => ({ label: name, to: `/operator/services/${id}` })),
    groupOf('Organisations', organisations, ({ id, name }) => ({
      label: name,
      to: `/organisations/${id}/settings`,
    })),
    groupOf('People', people, ({ id, name, email_address }) => ({
      label: email_address,
      about: name,
      to: `/operator/people/${id}`,
    })),
    groupOf('Email brands', emails.filter(has), ({ id, name }) => ({
      label: name,
      to: `/operator/branding/email/${id}`,
    })),
    groupOf('Letter brands', letters.filter(has), ({ id, name }) => ({
      label: name,
      to: `/operator/branding/letter/${id}`,
    })),
  ];
  return { groups: groups.filter(({ results }) => results.length > 0) };
}

function groupOf<Thing>(title: string, things: Thing[], resultOf: (thing: Thing) => Result) {
  return { title, results: things.slice(0, maxShown).map(resultOf), more: Math.max(0, things.length - maxShown) };
}

/** What has no page of its own leads to its owner. */
async function findId(app: ConsoleApp, id: string, mayReadMessages: boolean): Promise<Results> {
  const found = await findByUuid(app, id);
  if (!found) return { groups: [] };
  const { type, context } = found;
  const own = ownPage(type, id, context.service_id, mayReadMessages);
  const exact =
    own ??
    (context.service_id && `/operator/services/${context.service_id}`) ??
    (context.organisation_id && `/organisations/${context.organisation_id}/settings`) ??
    (context.user_id && `/operator/people/${context.user_id}`);
  return { groups: [], ...(exact ? { exact } : {}) };
}

function ownPage(type: string, id: string, service: string | undefined, mayReadMessages: boolean): string | undefined {
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
    case 'notification':
      return mayReadMessages ? `/services/${service}/messages/${id}` : undefined;
    case 'template':
      return `/services/${service}/templates/${id}`;
    case 'job':
    case 'upload':
      return mayReadMessages ? `/services/${service}/files/${id}` : undefined;
    case 'service_contact_list':
      return mayReadMessages ? `/services/${service}/contact-lists/${id}` : undefined;
    case 'api_key':
      return mayReadMessages ? `/services/${service}/integration/keys` : undefined;
    default:
      return undefined;
  }
}
