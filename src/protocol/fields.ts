import { type Static, type TSchema, Type } from 'typebox';
import { isDay } from '../countries/calendar.ts';
import { listChoosable, listHomePostage, listPostage } from '../countries/postage.ts';
import type { CountryProfile } from '../countries/profile.ts';
import type { TextFormat } from '../platform/http/schema-errors.ts';
import { isUuid } from '../platform/id.ts';

/** Field types shared by all requests and responses. */

export const Uuid = Type.String({ format: 'uuid' });
/** A name that people choose. It has no hidden characters. */
export const Name = Type.String({ minLength: 1, maxLength: 255, format: 'name' });
export const Datetime = Type.String({ format: 'date-time', description: 'UTC, YYYY-MM-DDTHH:MM:SS.ffffffZ' });
export const LondonTime = Type.String({ description: 'London time, YYYY-MM-DD HH:MM:SS' });
export const Day = Type.String({ format: 'date', description: 'YYYY-MM-DD' });
/** The id of something new that had this id on another server. */
export const ImportedId = Type.String({ format: 'uuid', description: 'The id on another server; nothing may have it' });
/** The parameter of paths such as /service/{service_id}. */
export const OfService = Type.Object({ service_id: Uuid });
/** Query parameters arrive as text, so their types are formats. Errors name the type. */
export const QueryBoolean = Type.String({ format: 'boolean-text', description: 'true, True, 1, false, False or 0' });
export const QueryInteger = Type.String({ format: 'integer-text' });

/** The max value of an integer column. */
export const maxInteger = 2_147_483_647;

/** `T | null` as one schema with two types instead of a union, so that an invalid value gives one error text and not three. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as T & { type?: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

export function OneOf<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values] });
}

/** The postage that a sender chooses: a class or an alias of the country. */
export function ChosenPostage({ postage }: Pick<CountryProfile, 'postage'>) {
  return OneOf(listChoosable(postage));
}

/** The postage of a template or letter in a response. Outside the United Kingdom, it may be a class of a former country. */
export function StoredPostage(
  { code, postage }: Pick<CountryProfile, 'code' | 'postage'>,
  { home = false }: { home?: boolean } = {},
) {
  const ids = home ? listHomePostage(postage).map(({ id }) => id) : listPostage(postage);
  return code === 'gb' ? OneOf(ids) : Type.String({ description: ids.join(', ') });
}

/** Wraps a response in `data`, as most admin endpoints do. */
export function Data<T extends TSchema>(schema: T) {
  return Type.Object({ data: schema });
}

/** Returns the fields next to an amount in responses: none for GBP, which the protocol implies. */
export function AmountFields(country: { code: string; money: { currency: string } }): Record<never, TSchema> {
  const { code, money } = country;
  return {
    ...(money.currency === 'GBP'
      ? {}
      : { currency: Type.Optional(Type.String({ description: 'ISO 4217, such as EUR' })) }),
    ...(code === 'gb'
      ? {}
      : {
          price_known: Type.Optional(
            Type.Boolean({ description: 'False while a rate is missing: the amount is without it' }),
          ),
        }),
  };
}

export const NoContent = Type.Null({ description: 'No body' });

/** A response that is not JSON and is sent unchanged. The schema only documents it. */
export function Raw(contentType: string, description: string) {
  return {
    description,
    content: { [contentType]: { schema: Type.Unsafe<string | Buffer>({ type: 'string', format: 'binary' }) } },
  };
}

export function isTrue(text: string | undefined, fallback = false): boolean {
  return text === undefined ? fallback : /^(true|1)$/i.test(text);
}

/** Text formats of fields in several features. */
export const protocolFormats: Record<string, TextFormat> = {
  uuid: (text) => /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})$/i.test(text),
  'uuid-or-empty': (text) => text === '' || isUuid(text),
  date: isDay,
  datetime: isDatetime,
  // An empty string clears the colour.
  'hex-colour': (text) => /^(#[0-9a-f]{6})?$/i.test(text),
  'https-url': (text) => /^https:\/\/./i.test(text) && URL.canParse(text),
  'boolean-text': (text) => /^(true|True|1|false|False|0)$/.test(text),
  'integer-text': (text) => /^-?\d{1,15}$/.test(text),
};

/** `Date.parse` alone would accept 30 February as 2 March, which the database then rejects. */
export function isDatetime(text: string): boolean {
  return isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
}
