import type { Verdict } from '../checks/check.ts';
import { type Judged, type ReadinessFacts, type RowName, rowNames } from './rows.ts';
import { judgeBounces, judgeComplaints, judgeRefusals, judgeUnsubscribe, judgeVolume } from './sending-rows.ts';
import {
  judgeAlignment,
  judgeAuthentication,
  judgeDmarc,
  judgeEncryption,
  judgeFrom,
  judgeServerName,
} from './setup-rows.ts';

export interface ReadinessRow extends Judged {
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

const rules: { [row in RowName]: { judge: (facts: ReadinessFacts) => Judged; sources: Source[] } } = {
  authentication: { judge: judgeAuthentication, sources: allThree },
  alignment: { judge: judgeAlignment, sources: allThree },
  dmarc: { judge: judgeDmarc, sources: allThree },
  encryption: { judge: judgeEncryption, sources: [gmail] },
  'server-name': { judge: judgeServerName, sources: [gmail, yahoo] },
  from: { judge: judgeFrom, sources: [gmail, outlook] },
  unsubscribe: { judge: judgeUnsubscribe, sources: [gmail, yahoo] },
  complaints: { judge: judgeComplaints, sources: [gmail, yahoo] },
  bounces: { judge: judgeBounces, sources: [ses] },
  volume: { judge: judgeVolume, sources: [gmail] },
  refusals: { judge: judgeRefusals, sources: allThree },
};

const severity: readonly Verdict[] = ['fail', 'warn', 'unknown', 'pass'];

/** Returns the rows, worst first. */
export function judgeRows(facts: ReadinessFacts): ReadinessRow[] {
  const rows = rowNames.map((row) => ({ row, ...rules[row].judge(facts), sources: rules[row].sources }));
  return severity.flatMap((verdict) => rows.filter((row) => row.verdict === verdict));
}

/** Returns the worst known verdict. Unknown verdicts do not count. */
export function overallVerdict(rows: readonly { verdict: Verdict }[]): Exclude<Verdict, 'unknown'> {
  const has = (verdict: Verdict) => rows.some((row) => row.verdict === verdict);
  return has('fail') ? 'fail' : has('warn') ? 'warn' : 'pass';
}
