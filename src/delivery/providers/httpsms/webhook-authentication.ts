import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sameSecret } from '../../../platform/secrets/secrets.ts';
import type { WebhookAuthentication } from './gateway-schema.ts';

export interface WebhookRequest {
  headers: IncomingHttpHeaders;
  query: Record<string, unknown>;
  rawBody: Buffer | undefined;
}

/** Whether the request knows the secret. Not for `receipt_url`, which depends on the message. */
export function isAuthentic(
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
