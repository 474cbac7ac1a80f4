/** An error that the operator can fix. Its message says how; it is printed without a stack trace. */
export class OperatorError extends Error {}
