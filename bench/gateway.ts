import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A gateway for text messages, in a separate process: accepts each message after a delay, and sends its receipt over HTTP
 * to the message's receipt URL. The order configures it; its first message to the parent is its address, and it responds to
 * each later message of the parent with the figures so far.
 */
export interface GatewayOrder {
  /** Until a message is accepted, and from then until its receipt. */
  answer_ms: number;
  receipt_ms: number;
  connections: number;
}

export interface GatewayReport {
  taken: number;
  receipts: number;
  /** Receipts without a 200 response. */
  refused: number;
  cpu_ms: number;
}

process.once('message', (order: GatewayOrder) => {
  const report: GatewayReport = { taken: 0, receipts: 0, refused: 0, cpu_ms: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: order.connections });
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { cid, delurl } = JSON.parse(Buffer.concat(chunks).toString());
      setTimeout(() => {
        report.taken += 1;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"Reference":"1"}');
        setTimeout(() => sendReceipt(delurl, cid), order.receipt_ms);
      }, order.answer_ms);
    });
  });

  function sendReceipt(url: string, reference: string): void {
    const body = JSON.stringify({ status: '3', CID: reference });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      if (answer.statusCode === 200) report.receipts += 1;
      else report.refused += 1;
      answer.resume();
    });
    asked.on('error', () => {
      report.refused += 1;
    });
    asked.end(body);
  }

  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
    process.on('message', () => {
      const { user, system } = process.cpuUsage();
      process.send?.({ ...report, cpu_ms: (user + system) / 1_000 });
    });
  });
});
