import { Failure, invalidField } from '../../../platform/failure.ts';

/** What is wrong with a file is told beside its field `file`; so is that too many are received at once. */
export async function aboutFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOfFile = error instanceof Failure && ['invalid', 'too-large', 'too-many'].includes(error.kind);
    if (!isOfFile || typeof error.detail !== 'string') throw error;
    throw invalidField('file', error.detail.endsWith('.') ? error.detail : `${error.detail}.`);
  }
}
