import { type Static, Type } from 'typebox';
import { auditActions } from '../../../../auth/audit-entry.ts';
import type { AuditFilter } from '../../../../operations/audit/audit-entry.ts';
import { auditNouns } from '../../../../operations/audit/audit-entry.ts';
import { addDays, isDay, londonInstant } from '../../../../platform/calendar.ts';
import { timestamp } from '../../../../platform/clock.ts';
import { invalid, invalidField } from '../../../../platform/failure.ts';
import { canonicalId, isUuid } from '../../../../platform/id.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { findServicesByName } from '../../../../services/services.ts';
import { findUserByEmail } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { PageRequest } from '../../../page.ts';

export const AuditForm = Type.Object({
  person: Type.Optional(Type.String({ maxLength: 255 })),
  service: Type.Optional(Type.String({ maxLength: 255 })),
  thing: Type.Optional(Type.String({ maxLength: 255 })),
  noun: Type.Optional(OneOf(auditNouns)),
  action: Type.Optional(OneOf(auditActions)),
  from: Type.Optional(Type.String({ maxLength: 10 })),
  to: Type.Optional(Type.String({ maxLength: 10 })),
});

const names = ['person', 'service', 'thing', 'noun', 'action', 'from', 'to'] as const;
type Query = Partial<Record<(typeof names)[number], string>>;

/** What the address of the page says; ids only, no address of a person. */
export function queryOf({ query }: Pick<PageRequest, 'query'>): Query {
  return Object.fromEntries(names.flatMap((name) => (query(name) === '' ? [] : [[name, query(name)]])));
}

/** Finds the person and the service that somebody typed. */
export async function readAuditForm(app: ConsoleApp, form: Static<typeof AuditForm>): Promise<Query> {
  const { person, service, from, to, ...others } = form;
  const wrong = { ...wrongDay('from', from), ...wrongDay('to', to) };
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return {
    ...others,
    ...(person ? { person: await idOfPerson(app, person) } : {}),
    ...(service ? { service: await idOfService(app, service) } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

/** An address that somebody changed by hand finds nothing wrong: what makes no sense is ignored. */
export function filterOf({ person, service, thing, noun, action, from, to }: Query): AuditFilter {
  return {
    person_id: person && isUuid(person) ? person : undefined,
    service_id: service && isUuid(service) ? service : undefined,
    thing_id: thing,
    noun,
    action: auditActions.find((one) => one === action),
    after: from && isDay(from) ? timestamp(londonInstant(from)) : undefined,
    before: to && isDay(to) ? timestamp(londonInstant(addDays(to, 1))) : undefined,
  };
}

function wrongDay(name: string, day: string | undefined): Record<string, string[]> {
  return day === undefined || isDay(day) ? {} : { [name]: ['Enter a day, such as 2026-11-15.'] };
}

async function idOfPerson(app: ConsoleApp, text: string): Promise<string> {
  if (isUuid(text)) return canonicalId(text);
  const user = await findUserByEmail(app, text);
  if (!user) throw invalidField('person', 'Nobody has this address. Enter the whole address.');
  return user.id;
}

async function idOfService(app: ConsoleApp, text: string): Promise<string> {
  const isId: boolean = isUuid(text);
  if (isId) return canonicalId(text);
  const found = await findServicesByName(app.db, text);
  const exact = found.filter(({ name }) => name.toLowerCase() === text.toLowerCase());
  const [one, ...others] = exact.length > 0 ? exact : found;
  if (!one) throw invalidField('service', 'No service has this name.');
  if (others.length > 0) {
    throw invalidField('service', `${found.length} services have this in their name. Enter the whole name.`);
  }
  return one.id;
}
