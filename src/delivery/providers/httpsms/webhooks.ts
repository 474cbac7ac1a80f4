import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { forbidden, invalid, notFound } from '../../../platform/failure.ts';
import type { Http } from '../../../platform/http/surface.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';
import type { InboundDeps, ReceiptDeps } from '../descriptor.ts';
import { recordOrRetry } from '../reports.ts';
import { InboundOk, isReceiptToken, receiptResponses } from '../webhooks.ts';
import type { Gateway, settings, WebhookAuthentication } from './gateway-schema.ts';
import { readGateway } from './read-gateway.ts';
import { referenceOf, textAt } from './send-request.ts';

const Fields = Type.Record(Type.String(), Type.Unknown(), { description: 'As HTTPSMS_GATEWAY describes it' });
const keepsRawBody = { keepsRawBody: true };
const wrongSecret = 'Callback failed: invalid credentials';

export function receiptRoutes(http: Http, app: ReceiptDeps<typeof settings>): void {
  const described = readGateway(app.settings);
  const take = async (fields: Record<string, unknown>, request: WebhookRequest) => {
    const receipts = described?.gateway.receipts;
    if (!described || !receipts) throw notFound();
    const { authentication, our_reference = '' } = receipts;
    // Authenticates before anything is read, so that errors do not reveal the contents of the file.
    const isGenuine =
      authentication.kind === 'receipt_url'
        ? isReceiptToken(app.secrets, 'httpsms', textAt(fields, our_reference), textAt(request.query, '/token'))
        : isAuthentic(authentication, described.secrets, request);
    if (!isGenuine) throw forbidden(wrongSecret);
    const { reference, status } = readReceipt(receipts, fields);
    if (status === undefined) {
      app.log.warn({ event: 'httpsms.unknown_status' }, 'A receipt has a status that HTTPSMS_GATEWAY does not list');
    } else if (status !== 'ignored') {
      await recordOrRetry(app, 'httpsms', { reference, status, received_at: app.clock.now().toISOString() });
    }
    return { result: 'success' as const };
  };
  http.post(
    '/notifications/sms/httpsms',
    {
      schema: {
        summary: 'Delivery receipt from the gateway of HTTPSMS_GATEWAY (form or JSON)',
        querystring: Fields,
        body: Fields,
        response: receiptResponses,
      },
      config: keepsRawBody,
    },
    ({ body, query, headers, rawBody }) => take(body, { headers, query, rawBody }),
  );
  http.get(
    '/notifications/sms/httpsms',
    {
      schema: {
        summary: 'Delivery receipt from the gateway of HTTPSMS_GATEWAY (query)',
        querystring: Fields,
        response: receiptResponses,
      },
    },
    ({ query, headers }) => take(query, { headers, query, rawBody: undefined }),
  );
}

function readReceipt(receipts: NonNullable<Gateway['receipts']>, fields: unknown) {
  const { our_reference, message_id = '', status, statuses } = receipts;
  const pointer = our_reference ?? message_id;
  const [id, reported] = [textAt(fields, pointer), textAt(fields, status)];
  if (id === '') throw invalid(`Callback failed: ${pointer} missing`);
  if (reported === '') throw invalid(`Callback failed: ${status} missing`);
  return {
    reference: our_reference === undefined ? referenceOf(id) : id,
    status: Object.hasOwn(statuses, reported) ? statuses[reported] : undefined,
  };
}

export function inboundRoutes(http: Http, app: InboundDeps<typeof settings>): void {
  const described = readGateway(app.settings);
  http.post(
    '/notifications/sms/receive/httpsms',
    {
      schema: {
        summary: 'Inbound text from the gateway of HTTPSMS_GATEWAY (form or JSON)',
        querystring: Fields,
        body: Fields,
        response: { 200: InboundOk },
      },
      config: keepsRawBody,
    },
    async ({ body, query, headers, rawBody }) => {
      const texts = described?.gateway.received_texts;
      if (!described || !texts) throw notFound();
      if (!isAuthentic(texts.authentication, described.secrets, { headers, query, rawBody }))
        throw forbidden(wrongSecret);
      for (const pointer of [texts.from, texts.to]) {
        if (textAt(body, pointer) === '') throw invalid(`Callback failed: ${pointer} missing`);
      }
      await app.receiveText({
        provider: 'httpsms',
        from: textAt(body, texts.from),
        to: textAt(body, texts.to),
        content: textAt(body, texts.text),
        received_at: undefined,
        reference: texts.id === undefined ? undefined : textAt(body, texts.id) || undefined,
      });
      return { status: 'ok' as const };
    },
  );
}

interface WebhookRequest {
  headers: IncomingHttpHeaders;
  query: Record<string, unknown>;
  rawBody: Buffer | undefined;
}

/** Whether the request has the secret. Not used for `receipt_url`, whose secret depends on the message. */
function isAuthentic(
  authentication: WebhookAuthentication,
  secrets: ReadonlyMap<string, string>,
  { headers, query, rawBody }: WebhookRequest,
): boolean {
  const { kind, name = '', prefix = '', user = '' } = authentication;
  const secret = secrets.get(authentication.secret ?? '');
  if (!secret) return false;
  const header = [headers[name.toLowerCase()]].flat()[0] ?? '';
  switch (kind) {
    case 'header':
      return sameSecret(header, `${prefix}${secret}`);
    case 'query':
      return typeof query[name] === 'string' && sameSecret(query[name], `${prefix}${secret}`);
    case 'basic': {
      const credentials = Buffer.from(`${user}:${secret}`).toString('base64');
      return sameSecret(headers.authorization ?? '', `Basic ${credentials}`);
    }
    case 'hmac': {
      const { algorithm = 'sha256', encoding = 'hex' } = authentication;
      if (!rawBody) return false;
      return sameSecret(header, prefix + createHmac(algorithm, secret).update(rawBody).digest(encoding));
    }
    case 'receipt_url':
      return false;
  }
}
