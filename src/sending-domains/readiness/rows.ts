import type { Text } from '../../language/text.ts';
import type { CheckName, Verdict } from '../checks/check.ts';
import type { Mailbox } from './mailboxes.ts';

/** The rules of the large mailbox providers, in the order in which they matter most. */
export const rowNames = [
  'authentication',
  'alignment',
  'dmarc',
  'encryption',
  'server-name',
  'from',
  'unsubscribe',
  'complaints',
  'bounces',
  'volume',
  'refusals',
] as const;
export type RowName = (typeof rowNames)[number];

/** What a domain, or one service of it, has to do with a rule. `unknown`: nothing was found out, or too few emails were sent to say. */
export interface Judged {
  verdict: Verdict;
  evidence: Text;
  /** What to do. Null if nothing. */
  advice: Text | null;
}

export interface ReadinessFacts {
  domain: string;
  /** A provider signs, and so owns the servers and the return path, too. */
  isOfProvider: boolean;
  /** From is an address of a mailbox provider, such as gmail.com. */
  isOfMailboxProvider: boolean;
  /** False: the domain of the installation, which nobody has added, so nothing checks it. */
  isAdded: boolean;
  checks: ReadonlyMap<CheckName, CheckResult>;
  /** Those of which files of the last 7 days had 500 recipients or more. */
  templates: readonly TemplateOfFiles[];
  /** Of emails handed over in the last 7 days. */
  complaints: Share;
  /** Of emails handed over in the last 24 hours. */
  bounces: Share;
  /** The most emails on one of the last 30 days. */
  best_days: readonly { mailbox: Mailbox; count: number }[];
  /** Of the last 24 hours, the most frequent first. */
  refusals: readonly { sentence: Text; count: number }[];
}

/** A check of the domain, as stored. */
export interface CheckResult {
  verdict: Verdict;
  reason: string;
  evidence: { dkim_aligned?: boolean; spf_aligned?: boolean };
}

export interface TemplateOfFiles {
  name: string;
  service_name: string;
  sent: number;
  has_unsubscribe_link: boolean;
}

export interface Share {
  part: number;
  of: number;
}

export function passes(evidence: Text): Judged {
  return { verdict: 'pass', evidence, advice: null };
}

export function warns(evidence: Text, advice: Text): Judged {
  return { verdict: 'warn', evidence, advice };
}

export function fails(evidence: Text, advice: Text): Judged {
  return { verdict: 'fail', evidence, advice };
}

export function isUnknown(evidence: Text, advice: Text | null = null): Judged {
  return { verdict: 'unknown', evidence, advice };
}
