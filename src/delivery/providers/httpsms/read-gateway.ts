import { readFileSync } from 'node:fs';
import { Value } from 'typebox/value';
import { OperatorError } from '../../../platform/failure.ts';
import { type Gateway, GatewayFile, placeholdersIn, type WebhookAuthentication } from './gateway-schema.ts';

interface Settings {
  file?: string;
  secrets?: string;
}

export interface DescribedGateway {
  gateway: Gateway;
  secrets: ReadonlyMap<string, string>;
}

/** Returns undefined if no file is set. Throws if the file has a problem, which the checks at startup report first. */
export function readGateway(settings: Settings): DescribedGateway | undefined {
  if (settings.file === undefined) return undefined;
  const read = examineGateway(settings);
  if (!read.described) throw new OperatorError(read.problems.join('\n'));
  return read.described;
}

/** Returns every problem of the file and of the secrets, with its place in the file. */
export function problemsOfGateway(settings: Settings): string[] {
  return settings.file === undefined ? [] : examineGateway(settings).problems;
}

function examineGateway(settings: Settings): { described?: DescribedGateway; problems: string[] } {
  const parsed = parseFile(settings.file ?? '');
  const secrets = parseSecrets(settings.secrets);
  const ofSecrets = 'problem' in secrets ? [secrets.problem] : [];
  if ('problem' in parsed) return { problems: [parsed.problem, ...ofSecrets] };
  const ofSchema = schemaProblems(parsed.value);
  if (ofSchema.length > 0 || 'problem' in secrets) return { problems: [...ofSchema.map(inFile), ...ofSecrets] };
  const gateway = parsed.value as Gateway;
  const problems = rulesOf(gateway, secrets.value).map(inFile);
  return problems.length > 0 ? { problems } : { described: { gateway, secrets: secrets.value }, problems };
}

const inFile = (problem: string) => `HTTPSMS_GATEWAY: ${problem}`;

function parseFile(file: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `HTTPSMS_GATEWAY cannot be read: ${why}` };
  }
}

function parseSecrets(text = '{}'): { value: Map<string, string> } | { problem: string } {
  // The text is secret, so it is not quoted.
  const problem = 'HTTPSMS_SECRETS must be a JSON object of texts without line breaks, such as {"api_key":"..."}';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem };
    const entries = Object.entries(value);
    const isText = entries.every(([, secret]) => typeof secret === 'string' && /^\P{Cc}+$/u.test(secret));
    return isText ? { value: new Map(entries) } : { problem };
  } catch {
    return { problem };
  }
}

function schemaProblems(value: unknown): string[] {
  return Value.Errors(GatewayFile, value).flatMap(({ keyword, instancePath, params, message }) => {
    const place = instancePath || '/';
    switch (keyword) {
      // The enclosing object reports it too.
      case 'boolean':
        return [];
      case 'additionalProperties':
        return `${place} has the unknown ${listOf(params.additionalProperties)}`;
      case 'required':
        return `${place} must have ${listOf(params.requiredProperties)}`;
      case 'enum':
        return `${place} must be one of ${listOf(params.allowedValues)}`;
      case 'pattern':
        return `${place} must match ${params.pattern}`;
      default:
        return `${place} ${message}`;
    }
  });
}

function listOf(values: readonly unknown[]): string {
  return values.join(', ');
}

const ofMessage = ['to', 'from', 'text', 'reference', 'encoding', 'receipt_url'];

/** Returns the problems that a schema cannot express. */
function rulesOf(gateway: Gateway, secrets: ReadonlyMap<string, string>): string[] {
  const { request, accepted, errors = [], receipts, received_texts } = gateway;
  const check = (place: string, text: string, allowed: string[]) => checkPlaceholders(place, text, allowed, secrets);
  const body = Object.entries(request.body ?? {});
  const isGet = request.method === 'GET';
  const nested = request.format === 'form' ? body.filter(([, value]) => typeof value === 'object') : [];
  return [
    ...check('/request/url', request.url, ofMessage),
    ...Object.entries(request.headers ?? {}).flatMap(([name, value]) => [
      ...check(`/request/headers/${name}`, value, ['reference']),
      ...(/^[\w!#$%&'*+.^`|~-]+$/.test(name) ? [] : [`/request/headers/${name} is not the name of a header`]),
      ...(/\p{Cc}/u.test(value) ? [`/request/headers/${name} must not contain line breaks`] : []),
    ]),
    ...stringsIn(request.body, '/request/body').flatMap(([place, text]) => check(place, text, ofMessage)),
    ...(isGet && request.body ? ['/request/body must be absent with the method GET: use placeholders in the url'] : []),
    ...(!isGet && !request.body ? ['/request must have body'] : []),
    ...(request.body && !request.format ? ['/request must have format with body: json or form'] : []),
    ...nested.map(([key]) => `/request/body/${key} must be a text, a number or a boolean in a form`),
    ...pairProblems('/accepted', accepted),
    ...errors.flatMap((rule, index) => [
      ...pairProblems(`/errors/${index}`, rule),
      ...(rule.statuses || rule.pointer ? [] : [`/errors/${index} must have statuses or pointer`]),
    ]),
    ...(receipts ? receiptProblems(gateway, receipts, secrets) : []),
    ...(received_texts
      ? authenticationProblems('/received_texts/authentication', received_texts.authentication, secrets, false)
      : []),
  ];
}

function checkPlaceholders(
  place: string,
  text: string,
  allowed: string[],
  secrets: ReadonlyMap<string, string>,
): string[] {
  const { names, malformed } = placeholdersIn(text);
  const unknown = names.filter((name) => !allowed.includes(name) && !name.startsWith('secret.'));
  const unset = names.filter((name) => name.startsWith('secret.') && !secrets.has(name.slice('secret.'.length)));
  return [
    ...(malformed === undefined ? [] : [`${place} has ${malformed}, which is no placeholder`]),
    ...unknown.map((name) => `${place} may not use {{${name}}}, only ${allowed.join(', ')} and secret.<name>`),
    ...unset.map((name) => `${place} uses {{${name}}}, which is not in HTTPSMS_SECRETS`),
  ];
}

function stringsIn(value: unknown, place: string): [place: string, text: string][] {
  if (typeof value === 'string') return [[place, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => stringsIn(item, `${place}/${key}`));
}

function pairProblems(place: string, { pointer, values }: { pointer?: string; values?: string[] }): string[] {
  return (pointer === undefined) === (values === undefined) ? [] : [`${place} must have pointer and values together`];
}

function receiptProblems(
  { accepted }: Gateway,
  receipts: NonNullable<Gateway['receipts']>,
  secrets: ReadonlyMap<string, string>,
): string[] {
  const { our_reference, message_id, authentication } = receipts;
  return [
    ...((our_reference === undefined) === (message_id === undefined)
      ? ['/receipts must have either our_reference or message_id']
      : []),
    ...(message_id !== undefined && accepted.message_id === undefined
      ? ['/accepted must have message_id, because /receipts has it']
      : []),
    ...authenticationProblems('/receipts/authentication', authentication, secrets, our_reference !== undefined),
  ];
}

function authenticationProblems(
  place: string,
  given: WebhookAuthentication,
  secrets: ReadonlyMap<string, string>,
  hasOurReference: boolean,
): string[] {
  const { kind, secret } = given;
  if (kind === 'receipt_url') {
    return hasOurReference ? [] : [`${place} can be receipt_url only for receipts with our_reference`];
  }
  const needed = { header: ['name'], query: ['name'], basic: ['user'], hmac: ['name', 'algorithm', 'encoding'] }[kind];
  const missing = ['secret', ...needed].filter((key) => given[key as keyof WebhookAuthentication] === undefined);
  return [
    ...missing.map((key) => `${place} must have ${key} for the kind ${kind}`),
    ...(secret !== undefined && !secrets.has(secret)
      ? [`${place} names ${secret}, which is not in HTTPSMS_SECRETS`]
      : []),
  ];
}
