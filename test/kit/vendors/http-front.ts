import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';

export interface FrontRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type FrontAnswer = 'hang up' | { status: number; headers?: Record<string, string>; body?: string };

export interface HttpFront {
  url: string;
  close(): Promise<void>;
}

/**
 * An HTTP server whose connections live in a separate thread; the test responds to its requests, or never responds.
 * Node accepts one connection per turn of the event loop, so a server on the loop of a test that makes hundreds of requests
 * itself would, on a busy machine, keep connections waiting beyond any client's timeout.
 */
export async function startHttpFront(
  answerTo: (request: FrontRequest) => Promise<FrontAnswer | undefined>,
  port = 0,
): Promise<HttpFront> {
  const thread = new Worker(new URL('./http-front.mjs', import.meta.url), { workerData: { port } });
  const [listening] = (await once(thread, 'message')) as [{ port: number }];
  thread.on('message', async ({ id, ...request }: FrontRequest & { id: number }) => {
    const answer = await answerTo(request);
    if (answer) thread.postMessage({ id, answer });
  });
  return {
    url: `http://127.0.0.1:${listening.port}`,
    async close() {
      await thread.terminate();
    },
  };
}
