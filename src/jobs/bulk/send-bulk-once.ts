import type { ApiCaller } from '../../auth/api-caller.ts';
import type { Admission } from '../../notifications/sending/admission.ts';
import { findStoredResponse, replay, type Sent } from '../../notifications/sending/idempotency.ts';
import type { BulkDeps } from './bulk-deps.ts';
import { type BulkJob, getBulkJob } from './bulk-records.ts';
import { claimKey, KeyTaken } from './claim.ts';
import type { BulkBody } from './open-body.ts';
import type { BulkSend } from './read-bulk-request.ts';
import { sendBulk } from './send-bulk.ts';

interface Response {
  data: BulkJob;
}

interface BulkRequest {
  send: BulkSend;
  body: BulkBody;
  digest(): string;
  finish(): Promise<void>;
}

/** Sends only once per Idempotency-Key. The digest of a stream is known when it was read. */
export async function sendBulkOnce(
  app: BulkDeps,
  { context, idempotencyKey: key, stored }: Admission,
  caller: ApiCaller,
  { send, body, digest, finish }: BulkRequest,
): Promise<Sent<Response>> {
  if (key === undefined) {
    const { id } = await sendBulk(app, context, send, body, undefined);
    return { response: { data: await getBulkJob(app.db, caller, id) }, replayed: false };
  }
  if (stored) {
    await finish();
    return replay(stored, digest());
  }
  const service_id = context.service.id;
  return app.sending.running.alone(service_id, key, async () => {
    let digestOfThis: string | undefined;
    let response: Response | undefined;
    const claim = claimKey(
      { service_id, key, now: context.now },
      () => (digestOfThis = digest()),
      async (tx, job) => (response = { data: await getBulkJob(tx, caller, job.id) }),
    );
    try {
      await sendBulk(app, context, send, body, claim);
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      const first = await findStoredResponse(app, service_id, key);
      if (!first || digestOfThis === undefined) throw error;
      return replay<Response>(first, digestOfThis);
    }
    if (!response) throw new Error('A send without a response');
    return { response, replayed: false };
  });
}
