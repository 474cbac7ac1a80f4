/** Whose words a client expects in errors: those of GOV.UK Notify or of GC Notify, the service of Canada. */
export const apiDialects = ['govuk', 'gc'] as const;

export type ApiDialect = (typeof apiDialects)[number];
