import { type Conclusion, notChecked, pass } from './check.ts';

/** What the last connection to the server that takes our mail agreed on. */
export interface Negotiated {
  /** As `TLSSocket.getProtocol` says, such as TLSv1.3; null: the connection was not encrypted. */
  tls: string | null;
  /** `valid`, or what is wrong with it. */
  certificate: string | null;
  /** Whether the connection left the machine and its network. */
  outside: boolean;
}

/** Gmail demands that mail is handed over encrypted. Inside a network, mail that is not encrypted is usual, but no good habit. */
export function checkTls(negotiated: Negotiated | undefined): Conclusion {
  if (!negotiated) return notChecked;
  const { tls, certificate, outside } = negotiated;
  if (tls === null) return { verdict: outside ? 'fail' : 'warn', reason: 'no-tls' };
  if (!['TLSv1.2', 'TLSv1.3'].includes(tls)) return { verdict: 'fail', reason: 'old-tls', tls };
  if (certificate !== null && certificate !== 'valid') return { verdict: 'fail', reason: 'certificate', certificate };
  return { ...pass, tls };
}
