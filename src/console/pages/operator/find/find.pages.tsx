import { Type } from 'typebox';
import { listEmailBrandsInUse } from '../../../../branding/email-branding.ts';
import { listLetterBrandsInUse } from '../../../../branding/letter-branding.ts';
import { findByUuid } from '../../../../operations/find-by-uuid.ts';
import { findOrganisationsByName } from '../../../../organisations/organisations.ts';
import { isUuid } from '../../../../platform/id.ts';
import { findServicesByName } from '../../../../services/services.ts';
import { findUsersByEmail } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch, pageUrl, readSearch } from '../../../links.ts';
import type { Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { Empty } from '../../../parts/notice.tsx';

const here = '/operator/find';

/** One box for everything. What is searched for may be a person's address: it is posted, and encrypted in addresses. */
export function findPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'operator',
    below: 'Overview',
    async show({ query, visitor }, formState) {
      const text = readSearch(app, visitor, query('q'));
      const results = text === '' ? undefined : await findAnything(app, text, visitor.user.platform_admin);
      if (results?.exact) return { to: results.exact };
      return {
        title: 'Find',
        lead: 'Services, organisations and brands by name, people by email address, and anything by its id.',
        content: (
          <div class="stack">
            <form class="measure" method="post" noValidate>
              <Field
                formState={formState}
                name="find"
                label="Name, address or id"
                type="search"
                value={text}
                beside={
                  <button class="button button--primary" type="submit">
                    Find
                  </button>
                }
              />
            </form>
            {results && <Found text={text} groups={results.groups} />}
          </div>
        ),
      };
    },
    form: Type.Object({ find: Type.String({ maxLength: 320 }) }),
    needs: { find: 'Enter a name, an address or an id.' },
    onlyReads: true,
    act: ({ visitor }, { find }) => ({
      to: `${here}?${new URLSearchParams({ q: keepSearch(app, visitor, find) })}`,
    }),
  });
}

function Found({ text, groups }: { text: string; groups: Results['groups'] }) {
  if (groups.length === 0) {
    return (
      <Empty title="Nothing found">
        Nothing has “{text}” in its name or address, or as its id. Parts of ids are not searched.
      </Empty>
    );
  }
  return (
    <>
      {groups.map(({ title, results, more }) => (
        <section key={title} class="card measure">
          <div class="card-head">
            <h2>{title}</h2>
          </div>
          <ul class="list">
            {results.map(({ label, to, about }) => (
              <li key={to ?? label}>
                {to ? <a href={pageUrl(to)}>{label}</a> : label}
                {about && <span class="muted">{about}</span>}
              </li>
            ))}
            {more > 0 && <li class="muted">and {more.toLocaleString('en-GB')} more: search for a longer part.</li>}
          </ul>
        </section>
      ))}
    </>
  );
}

interface Result {
  label: string;
  /** Below /console; without it, there is no page of its own. */
  to?: string;
  about?: string;
}

interface Results {
  groups: { title: string; results: Result[]; more: number }[];
  /** There is only one thing with this id: the search leads to it. */
  exact?: string;
}

const maxShown = 20;

/** Everything with this id, or with this text in its name or address. */
async function findAnything(app: ConsoleApp, text: string, mayReadMessages: boolean): Promise<Results> {
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
