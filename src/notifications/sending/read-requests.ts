import type { FastifyRequest } from 'fastify';
import type { Country } from '../../countries/country.ts';
import type { PhoneRules } from '../../countries/phone-rules.ts';
import { describePostage, findPostage } from '../../countries/postage.ts';
import { isTimeZone } from '../../countries/timing/zones.ts';
import { problemsOfSentFiles } from '../../documents/sent-files.ts';
import type { Timestamp } from '../../platform/clock.ts';
import { Failure, type Problem } from '../../platform/failure.ts';
import type { SchemaError } from '../../platform/http/schema-errors.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { inPublicOrder, printedValue } from '../../protocol/schema-problems.ts';
import { parseEmailAddress } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import { templateLanguages } from '../../templates/languages/languages.ts';
import { readScheduledTime, windowsOfMessages } from './scheduled-time.ts';
import type { EmailSend, SmsSend } from './send.ts';
import type { SendContext } from './send-context.ts';
import { EmailRequest, LetterRequest, PrecompiledLetterRequest, SmsRequest, withoutLanguage } from './send-requests.ts';

/** Reports all problems of a request together: those that the schema finds, and those that it cannot express. */

type Fields = Record<string, unknown>;

/** A request with the problems that its schema found. */
export type CheckedRequest = Pick<FastifyRequest, 'body' | 'validationError' | 'compileValidationSchema'>;

type RequestContext = Pick<SendContext, 'service' | 'dialect' | 'now'>;

export function readSmsRequest(country: Phones, request: CheckedRequest, context: RequestContext): SmsSend {
  const { dialect, now } = context;
  const { phone_number, personalisation, scheduled_for } = fieldsOf(request);
  const schedule = readSchedule(scheduled_for, dialect, now);
  const phone = phoneRulesFor(country, dialect);
  const read = typeof phone_number === 'string' ? parsePhoneNumber(phone, phone_number) : undefined;
  const parsed = dialect === 'gc' ? refuseUnsoldByGc(read) : read;
  const found = [
    ...schemaProblems(request, context, 'sms'),
    ...problemsOfTemplate(request.body),
    ...schedule.problems,
    ...problemsOfZone(request),
  ];
  const wrongNumber = parsed?.ok === false ? numberProblem(String(phone_number), parsed.unsupportedCode) : undefined;
  // For clients of GC Notify, a wrong number is reported like any other property, and an object is a file.
  if (dialect === 'gc')
    found.push(...problemsOfSentFiles(personalisation, dialect), ...(wrongNumber ? [wrongNumber] : []));
  const problems = inPublicOrder(SmsRequest, found);
  if (wrongNumber && dialect !== 'gc') problems.push(wrongNumber);
  refuse(problems);
  if (!parsed?.ok) throw new Error('Text message without a number after validation');
  return { request: request.body as SmsRequest, number: parsed.number, scheduled_for: schedule.at };
}

type Phones = Pick<Country, 'phone' | 'phoneOfGcClients'>;

export function phoneRulesFor({ phone, phoneOfGcClients }: Phones, dialect: ApiDialect): PhoneRules {
  return dialect === 'gc' ? phoneOfGcClients : phone;
}

/** Sudan, the country for which GC Notify has no price. */
const unsoldByGc = '249';

function refuseUnsoldByGc(read: ReturnType<typeof parsePhoneNumber> | undefined): typeof read {
  if (!read?.ok || read.number.countryPrefix !== unsoldByGc) return read;
  return { ok: false, reason: 'unsupported_country_code', unsupportedCode: unsoldByGc };
}

function numberProblem(text: string, unsupported_code: string | undefined): Problem {
  return {
    error: 'InvalidPhoneError',
    message: 'Not a valid phone number',
    about: { property: 'phone_number' },
    reason: 'wrong_number',
    facts: { has_semicolon: text.includes(';'), unsupported_code },
  };
}

export function readEmailRequest(request: CheckedRequest, context: RequestContext): EmailSend {
  const { dialect, now } = context;
  const { email_address, personalisation, scheduled_for } = fieldsOf(request);
  const schedule = readSchedule(scheduled_for, dialect, now);
  const problems = [
    ...schemaProblems(request, context, 'email'),
    ...problemsOfTemplate(request.body),
    ...problemsOfSentFiles(personalisation, dialect),
    ...schedule.problems,
    ...problemsOfZone(request),
  ];
  refuse(inPublicOrder(EmailRequest, problems));
  const parsed = parseEmailAddress(String(email_address));
  if (!parsed.ok) throw new Error('Email without an address after validation');
  return {
    request: request.body as EmailRequest,
    cleaned: parsed.cleaned,
    address: parsed.address,
    scheduled_for: schedule.at,
  };
}

export function readLetterRequest(request: CheckedRequest, { service }: RequestContext): LetterRequest {
  const schema = lacksLanguage(request, service) ? withoutLanguage.letter : LetterRequest;
  const problems = [...problemsOfTemplate(request.body), ...problemsWith(request, schema)];
  refuse(inPublicOrder(LetterRequest, problems));
  const letter = request.body as LetterRequest;
  const { address_line_1 } = letter.personalisation;
  if (address_line_1 === undefined || address_line_1 === null) {
    const missing = validation('personalisation', 'address_line_1 is a required property in personalisation');
    refuse([missing], 'address_missing');
  }
  return letter;
}

/** A body with `content`, even null, is a precompiled letter. */
export function isPrecompiled({ body }: CheckedRequest): boolean {
  return typeof body === 'object' && body !== null && 'content' in body;
}

export function readPrecompiledLetterRequest(
  request: CheckedRequest,
  country: Pick<Country, 'postage'>,
): PrecompiledLetterRequest {
  const { postage } = fieldsOf(request);
  const isKnown = typeof postage !== 'string' || findPostage(country.postage, postage) !== undefined;
  const more = isKnown
    ? []
    : [validation('postage', `postage invalid. It must be ${describePostage(country.postage)}.`)];
  refuse(inPublicOrder(PrecompiledLetterRequest, [...problemsWith(request, PrecompiledLetterRequest), ...more]));
  return request.body as PrecompiledLetterRequest;
}

export function refuse(problems: Problem[], reason?: string): void {
  const [first] = problems;
  if (!first) return;
  throw new Failure('invalid', first.error, problems.map(({ message }) => message).join('; '), {
    problems,
    ...(reason === undefined ? {} : { reason }),
  });
}

/** A template is named by id or name. Not part of the schema, because nobody would understand its message about alternatives. */
export function problemsOfTemplate(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const { template_id, template_name } = body as Fields;
  if (template_id === undefined && template_name === undefined) {
    return [{ error: 'ValidationError', message: 'template_id is a required property', about: 'missing' }];
  }
  if (template_id === undefined || template_name === undefined) return [];
  return [validation('template_name', 'template_name cannot be used together with template_id')];
}

/** Returns problems found by the route's schema. The routes set `attachValidation`, so that the handler reports them. */
function schemaProblems(request: CheckedRequest, { service }: RequestContext, channel: 'sms' | 'email'): Problem[] {
  if (lacksLanguage(request, service)) return problemsWith(request, withoutLanguage[channel]);
  const { validationError } = request;
  return validationError instanceof Failure ? (validationError.problems ?? []) : [];
}

/** Without the permission, the field is as unknown as any other. */
function lacksLanguage(request: CheckedRequest, { permissions }: RequestContext['service']): boolean {
  return 'language' in fieldsOf(request) && !permissions.has(templateLanguages);
}

/** For endpoints that accept several kinds of requests, where the request selects the schema. */
export function problemsWith(
  request: Pick<CheckedRequest, 'body' | 'compileValidationSchema'> & { query?: unknown },
  schema: object,
  part: 'body' | 'querystring' = 'body',
): Problem[] {
  const validate = request.compileValidationSchema(schema, part);
  if (validate(part === 'body' ? request.body : request.query)) return [];
  return publicErrors.schemaFailure((validate.errors ?? []) as SchemaError[]).problems ?? [];
}

function readSchedule(
  scheduledFor: unknown,
  dialect: ApiDialect,
  now: Date,
): { at: Timestamp | null; problems: Problem[] } {
  if (typeof scheduledFor !== 'string') return { at: null, problems: [] };
  const read = readScheduledTime(scheduledFor, now, windowsOfMessages[dialect]);
  return 'at' in read
    ? { at: read.at, problems: [] }
    : { at: null, problems: [validation('scheduled_for', `scheduled_for ${read.problem}`)] };
}

function problemsOfZone(request: CheckedRequest): Problem[] {
  const { recipient_time_zone: zone } = fieldsOf(request);
  if (typeof zone !== 'string' || isTimeZone(zone)) return [];
  return [validation('recipient_time_zone', `recipient_time_zone ${printedValue(zone)} is not a time zone`)];
}

export function validation(property: string, message: string): Problem {
  return { error: 'ValidationError', message, about: { property } };
}

function fieldsOf({ body }: CheckedRequest): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {};
}
