import { absent, rare } from './seed.ts';

/**
 * Every list of the API with every filter, derived from the API document: a new route, parameter or value is measured, or
 * `test/list-requests.full.test.ts` fails until it gets values here.
 */
export interface ListRequest {
  surface: 'admin' | 'v2' | 'console';
  /** The path with names of parameters, and the query as a person would write it. */
  label: string;
  url: string;
  body?: object;
}

/** Ids and days of the seed, by the name of the parameter. */
export type World = Record<string, string>;

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
  schema: { enum?: string[]; items?: { enum?: string[] } };
}

export interface ApiDocument {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>;
}

/** A path that names one of these returns that one thing, or the few that belong to it. */
const singleThings = [
  ...[
    'api_key_id',
    'email_branding_id',
    'letter_branding_id',
    'invite_id',
    'token',
    'id_or_token',
    'request_id',
    'email_file_id',
  ],
  ...[
    'sms_sender_id',
    'reply_to_id',
    'letter_contact_id',
    'data_retention_id',
    'callback_id',
    'letter_attachment_id',
    'document_id',
    'sending_domain_id',
    'plan_id',
    'send_window_id',
    'recurring_send_id',
    'message_id',
  ],
  ...['provider_details_id', 'file', 'file_type'],
];

/** About the process, and what renders one message. */
const otherPaths = [
  ...[
    '/status',
    '/_status',
    '/livez',
    '/readyz',
    '/openapi.json',
    '/v2/openapi-en',
    '/v2/openapi-fr',
    '/metrics',
    '/v2/notifications/{notification_id}/pdf',
  ],
  ...['/notifications/sms/httpsms', '/service/{service_id}/template/{template_id}/preview'],
];

const jobPath = '/service/{service_id}/job/{job_id}/notifications';
const csvPath = '/service/{service_id}/notifications/csv';

/** Values of each parameter without a list of values in the document; `rare` ones match three messages, `absent` ones none. */
const values: Record<string, (world: World, path: string) => string[]> = {
  page: () => ['2', '40', '100000'],
  page_size: (_, path) => [{ [jobPath]: '5000', [csvPath]: '10000' }[path] ?? '1000', '250'],
  limit_days: () => ['0', '1', '7'],
  whole_days: () => ['0', '7'],
  include_jobs: () => ['false'],
  include_one_off: () => ['false'],
  include_from_test_key: () => ['true'],
  count_pages: () => ['true'],
  format_for_csv: () => ['true'],
  job_id: ({ job_id = '' }) => [job_id],
  to: () => [rare.recipient, absent.recipient, 'person.17@example.org', '07700 000017', 'e'],
  reference: () => [rare.reference, absent.reference, 'campaign-3', 'order-3-77777'],
  older_than: (world, path) => {
    const one = world[`older_than ${path}`];
    if (one === undefined) throw new Error(`older_than of ${path} needs an id`);
    return [one, ...(path.endsWith('/notifications') ? [world.oldest_id ?? ''] : [])];
  },
  statuses: () => ['finished all notifications created', 'scheduled,cancelled'],
  contact_list_id: ({ contact_list_id = '' }) => [contact_list_id],
  reported_at: ({ today = '' }) => [today],
  start_date: ({ first_day = '' }) => [first_day],
  end_date: ({ today = '' }) => [today],
  year: () => ['2026'],
  financial_year_start: () => ['2026'],
  only_active: () => ['true'],
  detailed: () => ['true'],
  today_only: () => ['true'],
  user_id: ({ user_id = '' }) => [user_id],
  person_id: ({ user_id = '' }) => [user_id],
  service_id: ({ service_id = '' }) => [service_id],
  organisation_id: ({ organisation_id = '' }) => [organisation_id],
  thing_id: ({ thing_id = '' }) => [thing_id, 'absent'],
  after: ({ first_day = '' }) => [`${first_day}T00:00:00`],
  before: ({ first_day = '' }) => [`${first_day}T12:00:00`],
  name: () => ['organisation', 'absent'],
  service_name: () => ['service', 'absent'],
  domain: () => ['example.org'],
  sender_id: () => ['SENDER'],
};

/** Lists in which a filter may match few of many, so that two filters together may be worse than each alone. */
const messageLists = ['/v2/notifications', '/service/{service_id}/notifications', jobPath, '/platform-admin/audit-log'];

export function apiRequests({ paths }: ApiDocument, world: World): ListRequest[] {
  const requests = Object.entries(paths).flatMap(([path, { get }]) => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    if (!get || otherPaths.includes(path) || inPath.some((name) => singleThings.includes(name))) return [];
    const surface = path.startsWith('/v2/') ? ('v2' as const) : ('admin' as const);
    const base = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = world[`${name} ${path}`] ?? world[name];
      if (value === undefined) throw new Error(`${path}: say what ${name} is`);
      return value;
    });
    const parameters = (get.parameters ?? []).filter((parameter) => parameter.in === 'query');
    return queriesOf(path, parameters, world).map((query) => {
      const part = query === '' ? '' : `?${query}`;
      return { surface, label: `${path}${part}`, url: `${base}${part}` };
    });
  });
  return [...requests, ...postedSearches(world)];
}

function queriesOf(path: string, parameters: Parameter[], world: World): string[] {
  const valuesOf = ({ name, schema }: Parameter) => {
    const listed = schema.enum ?? schema.items?.enum;
    const all = listed ?? values[name]?.(world, path);
    if (!all) throw new Error(`${path}: say which values of ${name} are measured`);
    return all.map((value) => `${name}=${encodeURIComponent(value)}`);
  };
  // The API answers without them, too, but with an error.
  const needed = [
    'start_date',
    'end_date',
    'reported_at',
    'year',
    'financial_year_start',
    'whole_days',
    'name',
    'domain',
  ];
  const isNeeded = ({ name, required }: Parameter) => required || (needed.includes(name) && path !== '/service');
  const always = parameters.filter(isNeeded).map((parameter) => valuesOf(parameter)[0] ?? '');
  const filters = parameters.map(valuesOf);
  const withAlways = (...chosen: string[]) => {
    const names = chosen.map((one) => one.split('=')[0]);
    return [...always.filter((one) => !names.includes(one.split('=')[0])), ...chosen].join('&');
  };
  const pairs = messageLists.includes(path) ? pairsOf(filters) : [];
  return [
    ...new Set([withAlways(), ...filters.flat().map((one) => withAlways(one)), ...pairs, ...several(parameters)]),
  ];
}

/** Values of one filter with those of another: three of each, among them a status that is common, one that is rare and one that is absent. */
export function pairsOf(filters: string[][]): string[] {
  const typical = [`to:${rare.recipient}`, 'delivered', rare.status, 'absent words', absent.status];
  const few = filters.map((values) => {
    const chosen = values.filter((value) => typical.includes(value.split('=')[1] ?? ''));
    return [...chosen, ...values.filter((value) => !chosen.includes(value))].slice(0, 3);
  });
  return few.flatMap((values, index) =>
    few.slice(index + 1).flatMap((others) => values.flatMap((one) => others.map((other) => `${one}&${other}`))),
  );
}

/** Filters that take several values. */
function several(parameters: Parameter[]): string[] {
  const takesStatuses = parameters.some(({ name, schema }) => name === 'status' && schema.items);
  return takesStatuses
    ? [
        'status=delivered&status=sending',
        `status=${rare.status}&status=${absent.status}`,
        'status=failed&status=created&status=cancelled',
      ]
    : [];
}

/** Lists whose filter is in a body, because proxies log URLs. */
function postedSearches({ service_id = '' }: World): ListRequest[] {
  const surface = 'admin' as const;
  return [
    ...[rare.recipient, absent.recipient, '07700 000017'].map((to) => ({
      ...{
        surface,
        label: `POST notifications of a service, to ${to}`,
        url: `/service/${service_id}/notifications`,
        body: { to },
      },
    })),
    ...[{}, { phone_number: '07700000017' }].map((body) => ({
      ...{
        surface,
        label: `POST inbound-sms ${JSON.stringify(body)}`,
        url: `/service/${service_id}/inbound-sms`,
        body,
      },
    })),
  ];
}
