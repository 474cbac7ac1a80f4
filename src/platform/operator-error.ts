/** What the operator can mend: told in words that say how, and without a stack. */
export class OperatorError extends Error {}
