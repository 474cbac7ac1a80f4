import { type Static, Type } from 'typebox';
import * as setting from '../../../platform/setting.ts';
import { OneOf } from '../../../protocol/fields.ts';

/** The schema of the file that describes a gateway. docs/guides/providers/generic-http.md explains it. */

const strict = { additionalProperties: false };
const Pointer = Type.String({ pattern: '^(/[^/]+)+$', maxLength: 200 });
const HttpStatuses = Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1 });
const Values = Type.Array(Type.String(), { minItems: 1 });
const SecretName = Type.String({ pattern: '^[a-z][a-z0-9_]*$' });

const Authentication = Type.Object(
  {
    kind: OneOf(['header', 'query', 'basic', 'hmac', 'receipt_url']),
    /** The name of the header or of the query parameter. */
    name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]+$' })),
    secret: Type.Optional(SecretName),
    /** The text before the value in the header, such as `Bearer ` or `sha256=`. */
    prefix: Type.Optional(Type.String()),
    user: Type.Optional(Type.String({ minLength: 1 })),
    algorithm: Type.Optional(OneOf(['sha1', 'sha256', 'sha512'])),
    encoding: Type.Optional(OneOf(['hex', 'base64'])),
  },
  strict,
);

const Status = OneOf([
  'delivered',
  'pending',
  'temporary-failure',
  'permanent-failure',
  'technical-failure',
  'ignored',
]);

export const GatewayFile = Type.Object(
  {
    request: Type.Object(
      {
        method: Type.Optional(OneOf(['POST', 'PUT', 'GET'])),
        url: Type.String({ pattern: '^https?://[^/{}]+(/|$)' }),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        format: Type.Optional(OneOf(['json', 'form'])),
        body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        encodings: Type.Optional(Type.Object({ gsm7: Type.String(), ucs2: Type.String() }, strict)),
      },
      strict,
    ),
    check: Type.Optional(Type.Object({ url: Type.String({ pattern: '^https?://[^{}]+$' }) }, strict)),
    accepted: Type.Object(
      {
        statuses: HttpStatuses,
        pointer: Type.Optional(Pointer),
        values: Type.Optional(Values),
        message_id: Type.Optional(Pointer),
      },
      strict,
    ),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            statuses: Type.Optional(HttpStatuses),
            pointer: Type.Optional(Pointer),
            values: Type.Optional(Values),
            outcome: OneOf(['permanent-failure', 'technical-failure', 'retry']),
            after_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_600 })),
          },
          strict,
        ),
      ),
    ),
    receipts: Type.Optional(
      Type.Object(
        {
          authentication: Authentication,
          our_reference: Type.Optional(Pointer),
          message_id: Type.Optional(Pointer),
          status: Pointer,
          statuses: Type.Record(Type.String(), Status),
        },
        strict,
      ),
    ),
    received_texts: Type.Optional(
      Type.Object(
        { authentication: Authentication, from: Pointer, to: Pointer, text: Pointer, id: Type.Optional(Pointer) },
        strict,
      ),
    ),
  },
  strict,
);

export type Gateway = Static<typeof GatewayFile>;
export type WebhookAuthentication = Static<typeof Authentication>;

/** Only `{{names}}` are replaced: there are no expressions, no conditions and no code. */
const placeholder = /\{\{\s*([a-z0-9_.]+)\s*\}\}/g;

export type PlaceholderValues = ReadonlyMap<string, string>;

/** A missing value becomes empty; unknown names were rejected when the file was read. */
export function fill(text: string, values: PlaceholderValues, encode: (value: string) => string = String): string {
  return text.replace(placeholder, (_match, name: string) => encode(values.get(name) ?? ''));
}

/** Fills each string inside a value, but not the keys of objects. */
export function fillAll(value: unknown, values: PlaceholderValues): unknown {
  if (typeof value === 'string') return fill(value, values);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, values)]));
}

/** Returns the names in a text, and anything that looks like a placeholder but is not one. */
export function placeholdersIn(text: string): { names: string[]; malformed: string | undefined } {
  const names = Array.from(text.matchAll(placeholder), ([, name = '']) => name);
  const [malformed] = text.replace(placeholder, '').match(/\{\{[^}]*\}{0,2}|\}\}/) ?? [];
  return { names, malformed };
}

export const settings = {
  file: setting.optionalText(
    'HTTPSMS_GATEWAY',
    'JSON file that describes the HTTP API of an SMS gateway; see docs/guides/providers/generic-http.md.',
  ),
  secrets: setting.optionalText(
    'HTTPSMS_SECRETS',
    'JSON object of the secrets that HTTPSMS_GATEWAY names, such as `{"api_key":"..."}`.',
    { secret: true },
  ),
};
