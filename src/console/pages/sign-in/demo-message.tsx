import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { findSandboxText, isSandboxInUse } from '../../../delivery/sandbox/sandbox.ts';
import { T } from '../../../language/sentence.tsx';
import { isLoopback, isLoopbackName } from '../../../platform/http/networks.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Notice } from '../../parts/notice.tsx';

const wait_ms = 2_000;
const every_ms = 50;

/**
 * In the demo, messages are not delivered, so the page shows the message that it refers to: only on this machine, and only to the browser
 * that has just sent the password.
 */
export async function findDemoMessage(
  app: ConsoleApp,
  request: FastifyRequest,
  messageId: string | undefined,
): Promise<string | undefined> {
  const { demo } = app.config;
  if (messageId === undefined || !demo.enabled || !isSandboxInUse(app.config)) return undefined;
  if (!demo.isOnlyHere || !isFromHere(request)) return undefined;
  // It is delivered in the background, within milliseconds.
  for (let waited_ms = 0; waited_ms < wait_ms; waited_ms += every_ms) {
    const message = await findSandboxText(app, messageId);
    if (message) return message.text;
    await sleep(every_ms);
  }
  return undefined;
}

/** A proxy on this machine is a loopback peer, too. Most add a header, or pass the name that the browser asked for. */
function isFromHere({ raw, headers, hostname }: FastifyRequest): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return !isForwarded && isLoopback(raw.socket.remoteAddress ?? '') && isLoopbackName(hostname);
}

/** The text of the message, with its link as a button. */
export function DemoMessage({ text, action }: { text: string; action: string }) {
  const [, link] = /https?:\/\/[^\s/]+(\/console\/\S+)/.exec(text) ?? [];
  return (
    <Notice tone="amber">
      <p>
        <T>
          <strong>Sandbox:</strong> nothing leaves this machine, so here is the message.
        </T>
      </p>
      {link ? (
        <p>
          <a class="button" href={link}>
            {action}
          </a>
        </p>
      ) : (
        <p>{text}</p>
      )}
    </Notice>
  );
}
