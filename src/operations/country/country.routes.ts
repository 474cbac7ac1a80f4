import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';

const Country = Type.Object(
  {
    code: Type.String({ description: 'ISO 3166-1 alpha-2 in lower case, or x- and a name' }),
    name: Type.String(),
    locale: Type.String({ description: 'BCP 47, for numbers, money and dates' }),
    languages: Type.Array(Type.String(), { description: 'BCP 47; the first is the default' }),
    time_zone: Type.String({ description: 'In which days begin' }),
    financial_year_start: Type.String({
      description: 'MM-DD; a financial year is named by the year in which it starts',
    }),
    currency: Type.String({ description: 'ISO 4217, also of fields whose names speak of pounds' }),
    phone_region: Type.String({ description: 'ISO 3166-1 alpha-2: how numbers without a country code are read' }),
    postage: Type.Object({
      default: Type.String(),
      classes: Type.Array(
        Type.Object({ id: Type.String(), label: Type.String(), zone: Type.String({ description: 'home or abroad' }) }),
      ),
    }),
    organisation_types: Type.Array(Type.Object({ id: Type.String(), label: Type.String() })),
  },
  { title: 'Country' },
);

export function countryRoutes(http: Http, { country }: Platform): void {
  const { code, name, locale, languages, postage, organisations, profile } = country;
  const answer = {
    ...{ code, name, locale, languages },
    time_zone: profile.calendar.zone,
    financial_year_start: profile.calendar.financialYearStart,
    currency: profile.money.currency,
    phone_region: profile.phone.region,
    postage: {
      default: postage.default,
      classes: postage.classes.map(({ id, label, zone }) => ({ id, label, zone })),
    },
    organisation_types: organisations.types.map(({ id, label }) => ({ id, label })),
  };
  http.get(
    '/country',
    { schema: { summary: 'Get what a front end needs to know about the country', response: { 200: Country } } },
    async () => answer,
  );
}
