import { statuses } from '../../src/notifications/notification.ts';
import { type ListRequest, pairsOf, type World } from './requests.ts';
import { absent, rare } from './seed.ts';

/** Every page of the console that shows what a service has many of, with every filter: `test/list-requests.full.test.ts` finds new ones. */

interface Filters {
  [parameter: string]: string[];
}

/** Parameters that change how one thing is shown, or where a form leads: not what a list shows. */
export const noFilters = [
  ...[
    'next',
    'view',
    'width',
    'images',
    'values',
    'about',
    'template',
    'draft',
    'compare',
    'with',
    'current',
    'row',
    'language',
  ],
];

/** A path that names one of these shows that one thing. */
const singleThings = [
  ...[
    'token',
    'draft_id',
    'letter_draft_id',
    'letter_id',
    'letter_file_id',
    'email_file_id',
    'email_id',
    'letter_template_id',
  ],
  ...[
    'email_template_id',
    'template_file_id',
    'folder_id',
    'sms_sender_id',
    'reply_to_id',
    'letter_contact_id',
    'email_brand_id',
  ],
  ...[
    'letter_brand_id',
    'number_id',
    'provider_id',
    'own_key_id',
    'member_id',
    'request_id',
    'pdf_id',
    'asked_id',
    'callback_type',
  ],
  ...[
    'callback_id',
    'channel',
    'page',
    'row',
    'version',
    'suppressed_id',
    'opt_out_id',
    'sending_domain_id',
    'organisation_domain_id',
    'language',
    'guide',
  ],
  ...['plan_id', 'plan_message_id', 'send_window_id', 'recurring_send_id'],
];

/** What people look for in the list of messages. */
const searches = [
  ...[`to:${rare.recipient}`, `to:${absent.recipient}`, 'to:person.17@example.org', 'to:"07700 000017"'],
  ...[
    `ref:${rare.reference}`,
    `ref:${absent.reference}`,
    'ref:campaign-3',
    `template:"${rare.template}"`,
    'template:absent',
  ],
  ...statuses.map((status) => `status:${status}`),
  ...['before:today', 'after:today', 'after:yesterday', 'big.csv', 'absent words', 'person', 'e'],
  ...[`to:${rare.recipient} status:failed before:today`, `${absent.recipient} status:delivered after:yesterday`],
];

export const messageFilters: Filters = {
  channel: ['sms', 'email', 'letter'],
  status: ['sending', 'delivered', 'failed'],
  from: ['key', 'person', 'file', 'test-key'],
  find: searches,
  before: ['newer_id', 'oldest_id'],
  after: ['newer_id', 'oldest_id'],
};

/** By the path of the page. */
export const pageFilters: Record<string, Filters> = {
  '/services/:service_id/messages': messageFilters,
  '/services/:service_id/messages/list': { ...messageFilters },
  '/services/:service_id/messages/csv': messageFilters,
  '/services/:service_id/plan-messages': {
    find: [rare.reference, absent.reference, 'campaign-3'],
    plan: ['plan_id', 'rare_plan_id'],
    status: ['created', 'in-progress', 'delivered', 'failed', 'cancelled'],
    older_than: ['plan_message_id'],
  },
  '/services/:service_id/received': { page: ['2', '900', '100000'] },
  '/services/:service_id/received/list': { page: ['2', '900'] },
  '/services/:service_id/files': { page: ['2', '8', '100000'] },
  '/services/:service_id/templates': {
    find: ['More', 'absent'],
    page: ['2'],
    channel: ['sms'],
    archived: ['yes'],
    folder: [absent.status],
  },
  '/services/:service_id/send': { channel: ['sms', 'email', 'letter'], find: ['More', 'absent'], page: ['2'] },
  '/services/:service_id/integration/callbacks': {
    status: ['waiting', 'delivered', 'failed'],
    older_than: ['newer_id', 'oldest_id'],
  },
  '/services/:service_id/integration/refused': { older_than: ['newer_id'] },
  '/services/:service_id/settings/email/suppression-list': {
    q: ['person.17@example.org', absent.recipient],
    older_than: ['newer_id'],
  },
  '/services/:service_id/settings/text/opt-outs': { q: ['07700 000017', '07700 999999'], older_than: ['opt_out_id'] },
  '/services/:service_id/team': { find: ['person'] },
  '/services/:service_id/usage': { year: ['2026'] },
  '/services/:service_id/months': { year: ['2026'] },
  '/organisations/:organisation_id': { year: ['2026'] },
  '/organisations/:organisation_id/csv': { year: ['2026'] },
  '/sandbox': {
    channel: ['sms', 'email', 'letter'],
    find: ['person.17@example.org', absent.recipient],
    before: ['newer_id', 'oldest_id'],
  },
  '/sandbox/list': { channel: ['sms'], page: ['2'] },
  '/operator/services': { find: ['service', 'absent'], state: ['live', 'trial'], page: ['2'] },
  '/operator/organisations': { find: ['organisation', 'absent'], page: ['2'] },
  '/operator/people': {
    find: ['person', 'absent'],
    show: ['operators', 'locked', 'pending', 'archived'],
    page: ['2', '50'],
  },
  '/operator/can-we-send': { domain: ['council.example', 'absent'] },
  '/operator/domains': { find: ['council', 'absent'], state: ['verified', 'suspended'], page: ['2'] },
  '/operator/guard': { state: ['paused', 'exempt'], page: ['2'] },
  '/operator/complaints': { page: ['2', '2000'] },
  '/find': { q: ['person', 'absent'] },
  '/operator/audit': {
    ...{
      person: ['user_id'],
      service: ['service_id'],
      thing: ['thing_id', 'absent'],
      noun: ['organisation', 'template', 'job'],
    },
    ...{ action: ['find', 'erase'], from: ['first_day'], to: ['first_day'], older_than: ['audit_id'] },
  },
  '/operator/audit/csv': { service: ['service_id'], noun: ['organisation'], action: ['erase'] },
  '/operator/reports/:report': { start: ['first_day'], end: ['today'] },
};

/** Filters of messages and of the audit log together, two at a time. */
const pairedPages = ['/services/:service_id/messages', '/services/:service_id/plan-messages', '/operator/audit'];

export function pageRequests(paths: string[], world: World, keepSearch: (text: string) => string): ListRequest[] {
  const unknown = Object.keys(pageFilters).filter((path) => !paths.includes(path));
  if (unknown.length > 0) throw new Error(`Unknown page: ${unknown.join(', ')}`);
  return paths.flatMap((path) => {
    const named = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    if (named.some((name) => singleThings.includes(name))) return [];
    const base = `/console${path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = world[name];
      if (value === undefined) throw new Error(`${path}: say what ${name} is`);
      return value;
    })}`;
    const filters = Object.entries(pageFilters[path] ?? {}).map(([name, values]) =>
      values.map((value) => `${name}=${value}`),
    );
    const queries = ['', ...filters.flat(), ...(pairedPages.includes(path) ? pairsOf(filters) : [])];
    return queries.map((query) => ({
      surface: 'console' as const,
      label: `/console${path}${query === '' ? '' : `?${query}`}`,
      url: `${base}${query === '' ? '' : `?${addressOf(query, world, keepSearch)}`}`,
    }));
  });
}

/** A search may name a recipient, so it is encrypted in addresses. */
function addressOf(query: string, world: World, keepSearch: (text: string) => string): string {
  const parts = query.split('&').map((part) => {
    const [name = '', value = ''] = part.split(/=(.*)/);
    return `${name}=${encodeURIComponent(['find', 'q'].includes(name) ? keepSearch(value) : (world[value] ?? value))}`;
  });
  return parts.join('&');
}
