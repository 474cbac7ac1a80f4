// The thread of `http-front.ts`: reads requests, forwards them, and sends the responses it gets back.
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** @type {Map<number, import('node:http').ServerResponse>} */
const open = new Map();
let count = 0;

const server = createServer(async (incoming, response) => {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  count += 1;
  open.set(count, response);
  const { method = '', url = '', headers } = incoming;
  parentPort?.postMessage({ id: count, method, url, headers, body: Buffer.concat(chunks).toString() });
});

parentPort?.on('message', ({ id, answer }) => {
  const response = open.get(id);
  open.delete(id);
  if (answer === 'hang up') response?.destroy();
  else response?.writeHead(answer.status, answer.headers).end(answer.body);
});

server.listen(workerData.port, '127.0.0.1', () => parentPort?.postMessage({ port: server.address()?.port }));
