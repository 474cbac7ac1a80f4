import { type Facts, Failure, type Problem } from '../platform/failure.ts';

interface GcError {
  status?: 400 | 429;
  /** The default is BadRequestError. */
  error?: string;
  message: string;
}

const channelNames = new Map(Object.entries({ sms: 'text messages', email: 'emails', letter: 'letters' }));

/** GC Notify distinguishes the limits of services in trial mode from those of live ones. */
const modeOf = ({ restricted }: Facts) => (restricted ? 'Trial' : 'Live');

/** GC Notify's errors by failure reason. All other errors are the same in both dialects. */
const gcErrors = new Map<string, (facts: Facts) => GcError | undefined>(
  Object.entries({
    malformed_template_id: () => ({ error: 'ValidationError', message: 'template_id is not a valid UUID' }),
    wrong_number: (facts: Facts) => ({ error: 'ValidationError', message: `phone_number ${numberText(facts)}` }),
    landline_not_allowed: () => ({ error: 'ValidationError', message: `phone_number ${numberText({})}` }),
    template_not_found: () => ({ message: 'Template not found' }),
    template_deleted: ({ template_id }: Facts) => ({ message: `Template ${template_id} has been deleted` }),
    missing_values: ({ template_id, names }: Facts) => ({
      message: `Missing personalisation for template ID ${template_id}: ${names}`,
    }),
    empty_message: () => ({ message: 'Message is empty or just whitespace' }),
    channel_not_allowed: ({ channel }: Facts) => ({
      message: `Service is not allowed to send ${channelNames.get(String(channel))}`,
    }),
    daily_limit: dailyLimit,
    annual_limit: annualLimit,
  }),
);

function dailyLimit(facts: Facts): GcError | undefined {
  const { channel, limit } = facts;
  if (channel !== 'sms' && channel !== 'email') return undefined;
  const [name, what] = channel === 'sms' ? ['SMS', 'fragments'] : ['Email', 'messages'];
  return {
    status: 429,
    error: `${modeOf(facts)}ServiceTooMany${name}RequestsError`,
    message: `Exceeded ${channel === 'sms' ? 'SMS' : 'email'} daily sending limit of ${limit} ${what}`,
  };
}

function annualLimit(facts: Facts): GcError | undefined {
  const { channel, limit } = facts;
  if (channel !== 'sms' && channel !== 'email') return undefined;
  const name = channel === 'sms' ? 'SMS' : 'Email';
  return {
    status: 429,
    error: `${modeOf(facts)}ServiceRequestExceeds${name}AnnualLimitError`,
    message: `Exceeded annual ${channel === 'sms' ? 'SMS' : 'email'} sending limit of ${limit} messages`,
  };
}

function numberText({ has_semicolon, unsupported_code }: Facts): string {
  if (has_semicolon) return 'Not a valid number';
  if (unsupported_code !== undefined) return `Country code ${unsupported_code} is not supported`;
  return 'Not a valid international number';
}

/** Converts a failure to the form that GC Notify's clients expect. */
export function toGcError(failure: Failure): Failure {
  const { headers, reason, problems } = failure;
  const found = reason === undefined ? undefined : gcErrors.get(reason)?.(failure.facts);
  if (found) {
    const kind = found.status === 429 ? 'too-many' : 'invalid';
    return new Failure(kind, found.error ?? 'BadRequestError', found.message, { headers });
  }
  if (!problems?.some((problem) => problem.reason !== undefined)) return failure;
  const translated = problems.map((problem): Problem => {
    const said = problem.reason === undefined ? undefined : gcErrors.get(problem.reason)?.(problem.facts ?? {});
    return said ? { error: said.error ?? problem.error, message: said.message } : problem;
  });
  const detail = translated.map(({ message }) => message).join('; ');
  return new Failure(failure.kind, translated[0]?.error ?? failure.code, detail, { headers, problems: translated });
}
