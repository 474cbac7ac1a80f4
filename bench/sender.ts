import { createHmac } from 'node:crypto';

/** Services and templates for the benchmarks, created through the product's API. */
export const adminSecret = 'admin-secret-of-the-benchmark-which-is-long-enough';

export const platformUser = '6af522d0-2915-4e52-83a3-3690455a5fe6';

export interface Sender {
  service_id: string;
  secret: string;
  /** The whole API key. */
  key: string;
  template_id: string;
}

/** A live service with limits that are never reached, but still counted. */
export async function aSender(port: number, template: object): Promise<Sender> {
  const [sender] = await aService(port, [template]);
  if (!sender) throw new Error('No sender was made');
  return sender;
}

/** Many services with several templates each: the first template of every service, then the second of every service. */
export async function manySenders(port: number, services: number, templates: object[]): Promise<Sender[]> {
  const made: Sender[][] = [];
  // Eight at a time: these are thousands of requests.
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (made.length < services) {
        const place = made.push([]) - 1;
        made[place] = await aService(port, templates);
      }
    }),
  );
  return templates.flatMap((_, template) => made.flatMap((senders) => senders[template] ?? []));
}

let made = 0;

/** One sender for each of its templates. */
async function aService(port: number, templates: object[]): Promise<Sender[]> {
  made += 1;
  const number = `${made} ${performance.now()}`;
  const service = await adminWrite(port, '/service', {
    name: `Benchmark ${number}`,
    user_id: platformUser,
    restricted: false,
  });
  const limits = {
    rate_limit: 100_000_000,
    sms_message_limit: 2_000_000_000,
    email_message_limit: 2_000_000_000,
    letter_message_limit: 2_000_000_000,
  };
  await adminWrite(port, `/service/${service.id}`, limits);
  const created = { created_by: platformUser };
  const secret = await adminWrite(port, `/service/${service.id}/api-key`, {
    name: 'load',
    key_type: 'normal',
    ...created,
  });
  const senders: Sender[] = [];
  for (const [index, template] of templates.entries()) {
    const body = { name: `Load ${index}`, ...created, ...template };
    const { id: template_id } = await adminWrite(port, `/service/${service.id}/template`, body);
    senders.push({ service_id: service.id, secret, key: `load-${service.id}-${secret}`, template_id });
  }
  return senders;
}

/** Returns the data of the response. */
export async function adminWrite(port: number, path: string, body: object): Promise<{ id: string } & string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken()}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  const answer = response.status === 204 ? '{}' : await response.text();
  return (JSON.parse(answer) as { data: { id: string } & string }).data;
}

/** Gives the service of these senders sending times that are never closed. */
export async function alwaysOpen(port: number, [sender]: Sender[]): Promise<void> {
  const path = `/service/${sender?.service_id}`;
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const window = { name: 'Always', days, from_time: '00:00', until_time: '24:00' };
  const { id } = await adminWrite(port, `${path}/send-window`, window);
  const chosen = { sms_window_id: id, email_window_id: id, time_zone: null };
  await adminWrite(port, `${path}/sending-times`, chosen);
}

/** The service gets a request about each delivered message. */
export async function callBackTo(url: string, port: number, { service_id }: Sender): Promise<void> {
  await adminWrite(port, `/service/${service_id}/callback-api`, {
    url,
    bearer_token: 'token-of-the-benchmark',
    updated_by_id: platformUser,
    callback_type: 'delivery_status',
  });
}

export function adminToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part({ iss: 'notify-admin', iat: Math.floor(Date.now() / 1000) })}`;
  return `${signed}.${createHmac('sha256', adminSecret).update(signed).digest('base64url')}`;
}
