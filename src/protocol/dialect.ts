/**
 * The protocol that an application was written for: that of GOV.UK Notify, or that of GC Notify, the Canadian service, whose API has
 * the same routes and other responses.
 *
 * A request with the scheme `ApiKey-v1` uses `gc`, all others use the service's dialect, and a request without valid credentials uses
 * `API_DIALECT`. The dialect of the request determines error names and texts (`gc-errors.ts`), how far ahead a message can be
 * scheduled, how a number without a country code is read, and whether every object among the values is a file. The dialect of the
 * service, whoever calls, determines bold and italic text, French words in conditions, the alphabet and max length of texts, the fields
 * of callbacks, and how numbers in uploaded files are read.
 */
export const apiDialects = ['govuk', 'gc'] as const;

export type ApiDialect = (typeof apiDialects)[number];
