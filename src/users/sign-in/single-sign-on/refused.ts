import { Failure } from '../../../platform/failure.ts';

const code = 'SingleSignOnRefused';

/** The sentence is shown to the person. */
export function singleSignOnRefused(sentence: string): Failure {
  return new Failure('forbidden', code, sentence);
}

export function isSingleSignOnRefused(error: unknown): error is Failure {
  return error instanceof Failure && error.code === code;
}
