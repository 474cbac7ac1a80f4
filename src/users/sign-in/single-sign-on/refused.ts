import { Failure } from '../../../platform/failure.ts';

/** Why a person may not sign in, for the log. */
type Reason =
  | 'no-address'
  | 'unverified-address'
  | 'foreign-domain'
  | 'no-subject'
  | 'used-state'
  | 'archived'
  | 'other-subject';

export class SingleSignOnRefused extends Failure {
  readonly reason: Reason;

  /** The sentence is shown to the person. */
  constructor(reason: Reason, sentence: string) {
    super('forbidden', 'SingleSignOnRefused', sentence);
    this.reason = reason;
  }
}
