/**
 * Whose protocol an application was written for: GOV.UK Notify, or GC Notify, the service of Canada, whose API has the same
 * routes and other answers.
 *
 * A request with the scheme `ApiKey-v1` follows `gc`, all others follow the service, and a request without valid credentials
 * follows `API_DIALECT`. What follows the request: error names and texts (`gc-errors.ts`), how far ahead a message can be
 * scheduled, how a number without a country code is read, and whether every object among the values is a file. What follows the
 * service, whoever calls: bold and italic text, French words in conditions, the alphabet and the length of texts, the fields of
 * callbacks, and how numbers in uploaded files are read.
 */
export const apiDialects = ['govuk', 'gc'] as const;

export type ApiDialect = (typeof apiDialects)[number];
