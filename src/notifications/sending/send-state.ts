import type { Platform } from '../../platform/platform.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { Acceptor } from './accept.ts';
import { RunningRequests } from './idempotency.ts';
import { LetterTurns } from './letter-turns.ts';
import { type SendingServices, sendingServices } from './sending-service.ts';

/** In-memory state of sending. */
export interface SendState {
  services: SendingServices;
  rateLimits: RateLimits;
  acceptor: Acceptor;
  running: RunningRequests;
  letterTurns: LetterTurns;
}

export function createSending(app: Platform): SendState {
  return {
    services: sendingServices(app),
    rateLimits: new RateLimits(app),
    acceptor: new Acceptor(app),
    running: new RunningRequests(),
    letterTurns: new LetterTurns(app.clock),
  };
}
