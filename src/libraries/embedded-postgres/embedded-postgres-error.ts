/** The operator can fix it; the message says how. */
export class EmbeddedPostgresError extends Error {}
