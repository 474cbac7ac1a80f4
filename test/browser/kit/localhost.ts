import { type AddressInfo, createServer } from 'node:net';
import type { ConfigChanges } from '../../kit/fakes/changed-config.ts';
import type { Harness } from '../../kit/harness.ts';

/** A free port, and the address of this machine with it by name. */
export async function aLocalhostAddress(): Promise<{ port: number; baseURL: string }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port, baseURL: `http://localhost:${port}` };
}

/** Another process of the harness, with this address as its BASE_URL. */
export async function serveAt(
  harness: Harness,
  { port, baseURL }: { port: number; baseURL: string },
  changes: ConfigChanges = {},
): Promise<void> {
  const { http } = await harness.anotherProcess({ ...changes, urls: { api: baseURL } });
  await http.listen({ port, host: '127.0.0.1' });
}
