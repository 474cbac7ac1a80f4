import type { Verdict } from '../checks/check.ts';
import { type Evaluation, type ReadinessFacts, type RowName, rowNames } from './rows.ts';
import {
  evaluateBounces,
  evaluateComplaints,
  evaluateRefusals,
  evaluateUnsubscribe,
  evaluateVolume,
} from './sending-rows.ts';
import {
  evaluateAlignment,
  evaluateAuthentication,
  evaluateDmarc,
  evaluateEncryption,
  evaluateFrom,
  evaluateServerName,
} from './setup-rows.ts';

export interface ReadinessRow extends Evaluation {
  row: RowName;
  /** Who requires it. */
  sources: Source[];
}

interface Source {
  name: string;
  url: string;
}

const gmail = { name: 'Gmail', url: 'https://support.google.com/a/answer/81126' };
const yahoo = { name: 'Yahoo', url: 'https://senders.yahooinc.com/best-practices/' };
const outlook = { name: 'Outlook', url: 'https://sendersupport.olc.protection.outlook.com/pm/policies.aspx' };
const ses = { name: 'Amazon SES', url: 'https://docs.aws.amazon.com/ses/latest/dg/reputationdashboardmessages.html' };
const allThree = [gmail, yahoo, outlook];

const rules: { [row in RowName]: { evaluate: (facts: ReadinessFacts) => Evaluation; sources: Source[] } } = {
  authentication: { evaluate: evaluateAuthentication, sources: allThree },
  alignment: { evaluate: evaluateAlignment, sources: allThree },
  dmarc: { evaluate: evaluateDmarc, sources: allThree },
  encryption: { evaluate: evaluateEncryption, sources: [gmail] },
  'server-name': { evaluate: evaluateServerName, sources: [gmail, yahoo] },
  from: { evaluate: evaluateFrom, sources: [gmail, outlook] },
  unsubscribe: { evaluate: evaluateUnsubscribe, sources: [gmail, yahoo] },
  complaints: { evaluate: evaluateComplaints, sources: [gmail, yahoo] },
  bounces: { evaluate: evaluateBounces, sources: [ses] },
  volume: { evaluate: evaluateVolume, sources: [gmail] },
  refusals: { evaluate: evaluateRefusals, sources: allThree },
};

const severity: readonly Verdict[] = ['fail', 'warn', 'unknown', 'pass'];

/** Returns the rows, worst first. */
export function evaluateRows(facts: ReadinessFacts): ReadinessRow[] {
  const rows = rowNames.map((row) => ({ row, ...rules[row].evaluate(facts), sources: rules[row].sources }));
  return severity.flatMap((verdict) => rows.filter((row) => row.verdict === verdict));
}

/** Returns the worst known verdict. Unknown verdicts do not count. */
export function overallVerdict(rows: readonly { verdict: Verdict }[]): Exclude<Verdict, 'unknown'> {
  const has = (verdict: Verdict) => rows.some((row) => row.verdict === verdict);
  return has('fail') ? 'fail' : has('warn') ? 'warn' : 'pass';
}
