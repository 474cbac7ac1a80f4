import type { Text } from '../../language/text.ts';
import type { CheckName, Verdict } from '../checks/check.ts';
import type { Mailbox } from './mailboxes.ts';

/** The rules of the large mailbox providers, most important first. */
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

/** How well a domain, or one service, meets a rule. `unknown`: the check was inconclusive, or too few emails were sent. */
export interface Evaluation {
  verdict: Verdict;
  evidence: Text;
  /** What to do; null if nothing. */
  advice: Text | null;
}

export interface ReadinessFacts {
  domain: string;
  /** A provider signs, so it also owns the servers and the return path. */
  isOfProvider: boolean;
  /** The From address belongs to a mailbox provider, such as gmail.com. */
  isOfMailboxProvider: boolean;
  /** False for the installation's domain if nobody has added it, so nothing checks it. */
  isAdded: boolean;
  checks: ReadonlyMap<CheckName, CheckResult>;
  /** The templates whose files had 500 recipients or more in the last 7 days. */
  templates: readonly TemplateOfFiles[];
  /** The share of emails handed over in the last 7 days. */
  complaints: Share;
  /** The share of emails handed over in the last 24 hours. */
  bounces: Share;
  /** The most emails on one day of the last 30, by mailbox provider. */
  best_days: readonly { mailbox: Mailbox; count: number }[];
  /** The refusals of the last 24 hours, most frequent first. */
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

export function passes(evidence: Text): Evaluation {
  return { verdict: 'pass', evidence, advice: null };
}

export function warns(evidence: Text, advice: Text): Evaluation {
  return { verdict: 'warn', evidence, advice };
}

export function fails(evidence: Text, advice: Text): Evaluation {
  return { verdict: 'fail', evidence, advice };
}

export function isUnknown(evidence: Text, advice: Text | null = null): Evaluation {
  return { verdict: 'unknown', evidence, advice };
}
