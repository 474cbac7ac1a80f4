import { type Conclusion, notChecked, pass } from './check.ts';

/** The result of the latest TLS negotiation with the server that takes our mail. */
export interface Negotiated {
  /** As in `TLSSocket.getProtocol`, such as TLSv1.3; null if the connection was not encrypted. */
  tls: string | null;
  /** `valid`, or the problem. */
  certificate: string | null;
  /** Whether the connection left the machine and its private network. */
  outside: boolean;
}

/** Gmail requires encryption when mail is handed over. Within a private network, unencrypted mail is common but not recommended. */
export function checkTls(negotiated: Negotiated | undefined): Conclusion {
  if (!negotiated) return notChecked;
  const { tls, certificate, outside } = negotiated;
  if (tls === null) return { verdict: outside ? 'fail' : 'warn', reason: 'no-tls' };
  if (!['TLSv1.2', 'TLSv1.3'].includes(tls)) return { verdict: 'fail', reason: 'old-tls', tls };
  if (certificate !== null && certificate !== 'valid') return { verdict: 'fail', reason: 'certificate', certificate };
  return { ...pass, tls };
}
