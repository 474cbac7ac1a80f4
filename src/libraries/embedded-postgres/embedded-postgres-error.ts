/** An error that the operator can fix; the message says how. */
export class EmbeddedPostgresError extends Error {}
