import { type Static, Type } from 'typebox';
import { apiCallerOf } from '../auth/api-caller.ts';
import { invalidField } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import { Data, Datetime, NoContent, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import { type CheckingDeps, checkNow } from './checking/check-domains.ts';
import { createNextKey, takeKeyIntoUse } from './keys/dkim-keys.ts';
import type { DomainOwner } from './sending-domains.sql.ts';
import {
  addDomain,
  getDomain,
  isSelector,
  listDomains,
  makeDefault,
  retireDomain,
  type SendingDomain,
  updateSendingDomain,
} from './sending-domains.ts';

const states = ['pending', 'verified', 'warning', 'suspended', 'retired'] as const;
const scopes = ['installation', 'organisation', 'service'] as const;
const ways = ['signed-here', 'provider', 'relay'] as const;
const verdicts = ['pass', 'warn', 'fail', 'unknown'] as const;
const purposes = ['signature', 'return-path'] as const;

const DomainText = Type.String({ maxLength: 1_000 });

const Record = Type.Object({
  purpose: OneOf(['ownership', 'return-path', 'signature', 'policy']),
  type: OneOf(['TXT', 'CNAME', 'MX']),
  name: Type.String(),
  value: Type.String(),
  needed: Type.Boolean({ description: 'The domain is not verified without it' }),
  verdict: Nullable(OneOf(verdicts)),
  reason: Nullable(Type.String()),
});

const check = {
  name: Type.String(),
  verdict: OneOf(verdicts),
  reason: Type.String(),
  since: Datetime,
  checked_at: Datetime,
};

const Domain = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    scope: OneOf(scopes),
    service_id: Nullable(Uuid),
    organisation_id: Nullable(Uuid),
    way: OneOf(ways),
    provider: Nullable(Type.String()),
    return_path_domain: Nullable(Type.String()),
    hold: Type.Boolean({
      description: 'Emails wait while the domain is suspended, instead of coming from another one',
    }),
    state: OneOf(states),
    required_failing_since: Nullable(Datetime),
    checked_at: Nullable(Datetime),
    next_check_at: Nullable(Datetime),
    created_by_id: Uuid,
    created_at: Datetime,
    updated_at: Nullable(Datetime),
    version: Type.Integer(),
    records: Type.Array(Record),
    checks: Type.Array(
      Type.Object({ ...check, evidence: Type.Unsafe<unknown>({ type: 'object', additionalProperties: true }) }),
    ),
    keys: Type.Array(
      Type.Object({
        id: Uuid,
        selector: Type.String(),
        algorithm: OneOf(['rsa-2048', 'ed25519']),
        state: OneOf(['waiting', 'ready', 'signing', 'retiring', 'deleted']),
        public_key: Nullable(Type.String()),
        passed_since: Nullable(Datetime),
        signing_from: Nullable(Datetime),
        retire_at: Nullable(Datetime),
        created_at: Datetime,
      }),
    ),
  },
  { title: 'SendingDomain' },
);

const ProviderRecord = Type.Object({
  type: OneOf(['CNAME', 'TXT', 'MX']),
  name: Type.String({ minLength: 1, maxLength: 253 }),
  value: Type.String({ minLength: 1, maxLength: 4_000 }),
  purpose: OneOf(purposes),
});
const ProviderRecords = Type.Array(ProviderRecord, { maxItems: 20 });

const NewDomain = Type.Object({
  name: DomainText,
  scope: OneOf(scopes),
  service_id: Type.Optional(Uuid),
  organisation_id: Type.Optional(Uuid),
  way: Type.Optional(OneOf(ways)),
  provider: Type.Optional(Type.String({ maxLength: 50 })),
  selector: Type.Optional(Type.String({ pattern: isSelector.source })),
  return_path_domain: Type.Optional(DomainText),
  hold: Type.Optional(Type.Boolean()),
  records: Type.Optional(ProviderRecords),
  created_by_id: Uuid,
});

const DomainChange = Type.Object({
  return_path_domain: Type.Optional(Nullable(DomainText)),
  hold: Type.Optional(Type.Boolean()),
  records: Type.Optional(ProviderRecords),
});

const OfDomain = Type.Object({ sending_domain_id: Uuid });
const path = '/sending-domain';
const ofDomain = `${path}/:sending_domain_id`;

/** The column is `check_name`, the field of the API is `name`. */
function shown({ checks, ...domain }: SendingDomain) {
  return { ...domain, checks: checks.map(({ check_name, ...rest }) => ({ name: check_name, ...rest })) };
}

function ownerIn({ scope, service_id, organisation_id }: Static<typeof NewDomain>): DomainOwner {
  if (scope === 'installation') return { scope };
  if (scope === 'service') {
    if (service_id === undefined) throw invalidField('service_id', 'Missing data for required field.');
    return { scope, service_id };
  }
  if (organisation_id === undefined) throw invalidField('organisation_id', 'Missing data for required field.');
  return { scope, organisation_id };
}

export function sendingDomainRoutes(http: Http, app: CheckingDeps): void {
  http.get(
    path,
    {
      schema: {
        summary: 'List the domains that emails come from, by name; retired ones only if asked for',
        querystring: Type.Object({
          service_id: Type.Optional(Uuid),
          organisation_id: Type.Optional(Uuid),
          scope: Type.Optional(OneOf(scopes)),
          state: Type.Optional(OneOf(states)),
        }),
        response: { 200: Data(Type.Array(Domain)) },
      },
    },
    async ({ query }) => ({ data: (await listDomains(app.db, query)).domains.map(shown) }),
  );

  http.post(
    path,
    {
      schema: {
        summary: 'Add a domain that the emails of a service, an organisation or the installation come from',
        body: NewDomain,
        response: { 201: Data(Domain) },
      },
    },
    async ({ body }, reply) => {
      return reply.code(201).send({ data: shown(await addDomain(app, ownerIn(body), body)) });
    },
  );

  http.get(
    ofDomain,
    {
      schema: {
        summary: 'Get a domain with its records, checks and keys; never a private key',
        params: OfDomain,
        response: { 200: Data(Domain) },
      },
    },
    async ({ params }) => ({ data: shown(await getDomain(app.db, params.sending_domain_id)) }),
  );

  http.post(
    ofDomain,
    {
      schema: {
        summary: 'Update a domain; omitted fields keep their values',
        params: OfDomain,
        body: DomainChange,
        response: { 200: Data(Domain) },
      },
    },
    async ({ params, body }) => ({ data: shown(await updateSendingDomain(app, params.sending_domain_id, body)) }),
  );

  http.delete(
    ofDomain,
    {
      schema: {
        summary: 'Retire a domain: no email comes from it any more, its name is free, its keys are erased after 7 days',
        params: OfDomain,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await retireDomain(app, params.sending_domain_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    `${ofDomain}/use`,
    {
      schema: {
        summary:
          'Let the emails of its service, or of the services of its organisation, come from a domain once it is verified',
        params: OfDomain,
        response: { 200: Data(Domain) },
      },
    },
    async ({ params }) => {
      await makeDefault(app, params.sending_domain_id);
      return { data: shown(await getDomain(app.db, params.sending_domain_id)) };
    },
  );

  http.post(
    `${ofDomain}/check`,
    {
      schema: {
        summary: 'Check the records of a domain now; once in 10 seconds',
        params: OfDomain,
        response: { 200: Data(Domain) },
      },
    },
    async ({ params }) => {
      await checkNow(app, params.sending_domain_id);
      return { data: shown(await getDomain(app.db, params.sending_domain_id)) };
    },
  );

  http.post(
    `${ofDomain}/keys`,
    {
      schema: {
        summary: 'Make a second key for a domain, which signs once its record is published',
        params: OfDomain,
        response: { 201: Data(Domain) },
      },
    },
    async ({ params }, reply) => {
      await createNextKey(app, params.sending_domain_id);
      return reply.code(201).send({ data: shown(await getDomain(app.db, params.sending_domain_id)) });
    },
  );

  http.post(
    `${ofDomain}/keys/:key_id/use`,
    {
      schema: {
        summary: 'Sign with the new key from now on; the record of the old one must stay for 7 days',
        params: Type.Object({ sending_domain_id: Uuid, key_id: Uuid }),
        response: { 200: Data(Domain) },
      },
    },
    async ({ params }) => {
      await takeKeyIntoUse(app, params.sending_domain_id, params.key_id);
      return { data: shown(await getDomain(app.db, params.sending_domain_id)) };
    },
  );
}

const PublicDomain = Type.Object({
  name: Type.String(),
  state: OneOf(states),
  records: Type.Array(Record),
  checks: Type.Array(Type.Object(check)),
});

const publicExample = {
  sending_domains: [{ name: 'notify.council.example', state: 'pending', records: [], checks: [] }],
};

export function publicSendingDomainRoutes(http: Http, app: CheckingDeps): void {
  http.get(
    '/v2/sending-domains',
    {
      schema: {
        summary: 'List the domains of the service that emails come from, with what to publish and what was found',
        response: {
          200: Type.Object({ sending_domains: Type.Array(PublicDomain) }, { examples: [publicExample] }),
        },
      },
    },
    async (request) => {
      const { domains } = await listDomains(app.db, { service_id: apiCallerOf(request).service_id });
      return { sending_domains: domains.map(shown) };
    },
  );
}
