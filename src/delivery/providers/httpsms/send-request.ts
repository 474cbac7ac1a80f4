import { type HttpResponse, type ProviderHttpClient, retryOf } from '../http-client.ts';
import type { Outcome, TextMessage } from '../provider.ts';
import { plainText } from '../webhooks.ts';
import { fill, fillAll, type Gateway, type PlaceholderValues } from './gateway-schema.ts';
import type { DescribedGateway } from './read-gateway.ts';

export async function sendRequest(
  http: ProviderHttpClient,
  { gateway, secrets }: DescribedGateway,
  message: TextMessage,
  receiptUrl: string,
): Promise<Outcome> {
  const { request } = gateway;
  const values = valuesOf(message, receiptUrl, request, secrets);
  const called = await http.request(
    fill(request.url, values, encodeURIComponent),
    headersOf(gateway, values),
    bodyOf(request, values),
    request.method,
  );
  return 'failed' in called ? called.failed : outcomeOf(gateway, called.response);
}

function valuesOf(
  { to, sender, text, reference, encoding }: TextMessage,
  receiptUrl: string,
  { encodings }: Gateway['request'],
  secrets: ReadonlyMap<string, string>,
): PlaceholderValues {
  return new Map([
    ['to', to],
    ['from', sender],
    ['text', text],
    ['reference', reference],
    ['encoding', encodings?.[encoding] ?? encoding],
    ['receipt_url', receiptUrl],
    ...Array.from(secrets, ([name, secret]) => [`secret.${name}`, secret] as const),
  ]);
}

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded' };

export function headersOf({ request }: Gateway, values: PlaceholderValues): Record<string, string> {
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), fill(value, values)]);
  const type = request.format ? { 'content-type': contentTypes[request.format] } : {};
  return { ...type, ...Object.fromEntries(given) };
}

function bodyOf({ body, format }: Gateway['request'], values: PlaceholderValues): string | undefined {
  if (!body) return undefined;
  const filled = fillAll(body, values) as Record<string, unknown>;
  if (format === 'json') return JSON.stringify(filled);
  return new URLSearchParams(Object.entries(filled).map(([key, value]) => [key, String(value)])).toString();
}

interface Rule {
  statuses?: number[];
  pointer?: string;
  values?: string[];
}

function outcomeOf({ accepted, errors = [], receipts }: Gateway, response: HttpResponse): Outcome {
  const document = parsed(response.body);
  const applies = ({ statuses, pointer, values = [] }: Rule) =>
    (statuses === undefined || statuses.includes(response.status)) &&
    (pointer === undefined || values.includes(textAt(document, pointer)));
  const rule = errors.find(applies);
  if (rule) {
    const found = rule.pointer === undefined ? '' : `, ${rule.pointer} ${textAt(document, rule.pointer)}`;
    const reason = `answered ${response.status}${found}`;
    if (rule.outcome !== 'retry') return { kind: 'refused', reason, status: rule.outcome };
    const after_ms = response.retry_after_ms ?? (rule.after_s === undefined ? undefined : rule.after_s * 1_000);
    return { kind: 'retry', reason, after_ms };
  }
  if (!applies(accepted)) return retryOf(response);
  const id = accepted.message_id === undefined ? '' : textAt(document, accepted.message_id);
  // The gateway has the message, but without the id no receipt would match.
  if (receipts?.message_id !== undefined && id === '') return retryOf(response, 'without a message id');
  return {
    kind: 'accepted',
    ...(id !== '' && { provider_reference: referenceOf(id) }),
    ...(!receipts && { final: 'delivered' as const }),
  };
}

/** Parses any JSON. `json` of the response has objects only. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the reference as stored with the message. Ids of a gateway may be short numbers, or look like ours. */
export function referenceOf(messageId: string): string {
  return `httpsms:${encodeURIComponent(messageId.slice(0, 80))}`;
}

/** Returns the value at a JSON pointer (RFC 6901) as text, empty if there is no value or if it is an object. */
export function textAt(document: unknown, pointer: string): string {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string, unknown>)[key];
  }
  return plainText(value);
}
