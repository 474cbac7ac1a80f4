import { type Static, Type } from 'typebox';
import { OneOf } from '../../../protocol/fields.ts';

/** The file that describes a gateway. docs/guides/providers/generic-http.md explains it. */

const strict = { additionalProperties: false };
const Pointer = Type.String({ pattern: '^(/[^/]+)+$', maxLength: 200 });
const HttpStatuses = Type.Array(Type.Integer({ minimum: 100, maximum: 599 }), { minItems: 1 });
const Values = Type.Array(Type.String(), { minItems: 1 });
const SecretName = Type.String({ pattern: '^[a-z][a-z0-9_]*$' });

const Authentication = Type.Object(
  {
    kind: OneOf(['header', 'query', 'basic', 'hmac', 'receipt_url']),
    /** Of the header or of the query parameter. */
    name: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]+$' })),
    secret: Type.Optional(SecretName),
    /** Before the value in the header, such as `Bearer ` or `sha256=`. */
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
