import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

/**
 * An SMPP 3.4 message centre, written from the specification and without any code of ours. It checks every octet it gets:
 * whatever the specification forbids is listed in `violations`.
 */
export interface MessageCentre {
  url: string;
  /** Every submit_sm, in the order of arrival. */
  submitted: Submitted[];
  violations: string[];
  /** Binds now, by type. */
  bound(): string[];
  /** The most submit_sm of one bind that waited for their response at the same time. */
  mostUnderway: number;
  enquiries: number;
  /** Binds since the start. */
  binds: number;
  /** The response to a submit_sm; `nth` counts from 1. */
  answer: (submitted: Submitted, nth: number) => Answer | Promise<Answer>;
  /** The status of the response to a bind. */
  answerBind: (bind: { type: string; system_id: string; password: string }) => number;
  answersEnquiries: boolean;
  /** Sends a deliver_sm to a bind that receives, and returns the status of its response. */
  deliver(fields: DeliverFields): Promise<number>;
  /** Writes octets to the first bind. */
  write(octets: Buffer): void;
  /** Packets that are neither requests of ours nor answers to them: generic_nack and responses, as they came. */
  received: { command: number; status: number; sequence: number }[];
  unbind(): void;
  cut(): void;
  close(): Promise<void>;
}

type Answer = 'accept' | 'nothing' | { status: number } | { id: string } | { nack: number };

export interface Submitted {
  id: string;
  /** Type of number and numbering plan, `5/0`. */
  source_type: string;
  source: string;
  destination_type: string;
  destination: string;
  esm_class: number;
  data_coding: number;
  short_message: Buffer;
  tlvs: Map<number, Buffer>;
  at: number;
}

interface DeliverFields {
  source?: string;
  destination?: string;
  esm_class?: number;
  data_coding?: number;
  text?: string | Buffer;
  tlvs?: [number, Buffer][];
}

interface Peer {
  socket: Socket;
  type: string | undefined;
  buffered: Buffer;
  sequence: number;
  underway: number;
  lastSequence: number;
  deliveries: Map<number, (status: number) => void>;
}

const bindTypes = new Map([
  [0x01, 'receiver'],
  [0x02, 'transmitter'],
  [0x09, 'transceiver'],
]);
const tons = [0, 1, 2, 3, 4, 5, 6];
const npis = [0, 1, 3, 4, 6, 8, 9, 10, 14, 18];
const tlvLengths = new Map<number, number | undefined>([
  [0x020c, 2],
  [0x020e, 1],
  [0x020f, 1],
  [0x0424, undefined],
]);

export async function startMessageCentre(
  options: { tls?: { key: string; cert: string }; port?: number } = {},
): Promise<MessageCentre> {
  const peers = new Set<Peer>();
  let ids = 0;
  const server: Server = options.tls ? createSecureServer(options.tls, greet) : createServer(greet);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const centre: MessageCentre = {
    url: options.tls ? `smpps://localhost:${port}` : `smpp://127.0.0.1:${port}`,
    submitted: [],
    violations: [],
    received: [],
    mostUnderway: 0,
    enquiries: 0,
    binds: 0,
    answer: () => 'accept',
    answerBind: () => 0,
    answersEnquiries: true,
    bound: () => [...peers].flatMap(({ type }) => type ?? []).sort(),
    deliver,
    write: (octets) => void [...peers].find(({ type }) => type)?.socket.write(octets),
    unbind() {
      for (const peer of peers) request(peer, 0x06, Buffer.alloc(0));
    },
    cut() {
      for (const { socket } of peers) socket.destroy();
    },
    async close() {
      server.close();
      for (const { socket } of peers) socket.destroy();
      await once(server, 'close');
    },
  };
  return centre;

  function greet(socket: Socket): void {
    const peer: Peer = {
      socket,
      type: undefined,
      buffered: Buffer.alloc(0),
      sequence: 0,
      underway: 0,
      lastSequence: 0,
      deliveries: new Map(),
    };
    peers.add(peer);
    socket.setNoDelay(true);
    socket.setMaxListeners(0);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => peers.delete(peer));
    socket.on('data', (chunk) => {
      peer.buffered = peer.buffered.length === 0 ? chunk : Buffer.concat([peer.buffered, chunk]);
      while (peer.buffered.length >= 16) {
        const length = peer.buffered.readUInt32BE(0);
        if (length < 16 || length > 70_000) return violated(`command_length ${length}`);
        if (peer.buffered.length < length) return;
        const packet = peer.buffered.subarray(0, length);
        peer.buffered = peer.buffered.subarray(length);
        void take(peer, packet);
      }
    });
  }

  function violated(what: string): void {
    centre.violations.push(what);
  }

  async function take(peer: Peer, packet: Buffer): Promise<void> {
    const [command, status, sequence] = [packet.readUInt32BE(4), packet.readUInt32BE(8), packet.readUInt32BE(12)];
    const body = packet.subarray(16);
    if (command >= 0x8000_0000) return takeResponse(peer, command, status, sequence, body);
    if (status !== 0) violated(`command_status ${status} in a request`);
    if (sequence !== peer.lastSequence + 1) violated(`sequence_number ${sequence} after ${peer.lastSequence}`);
    peer.lastSequence = sequence;
    const type = bindTypes.get(command);
    if (type) return bind(peer, type, command, sequence, body);
    if (peer.type === undefined) return violated(`command ${command.toString(16)} before a bind`);
    if (command === 0x04) return submit(peer, sequence, body);
    if (body.length > 0) violated(`a body of command ${command.toString(16)}`);
    if (command === 0x15) {
      centre.enquiries += 1;
      if (centre.answersEnquiries) respond(peer, command, 0, sequence);
    } else if (command === 0x06) {
      respond(peer, command, 0, sequence);
      peer.type = undefined;
      peer.socket.end();
    } else violated(`command ${command.toString(16)}`);
  }

  function takeResponse(peer: Peer, command: number, status: number, sequence: number, body: Buffer): void {
    centre.received.push({ command, status, sequence });
    if (command !== 0x8000_0005) return;
    if (!body.equals(Buffer.from([0]))) violated('the message_id of a deliver_sm_resp is not empty');
    const deliver = peer.deliveries.get(sequence);
    if (!deliver) violated(`a deliver_sm_resp with the sequence_number ${sequence} of no deliver_sm`);
    peer.deliveries.delete(sequence);
    deliver?.(status);
  }

  function bind(peer: Peer, type: string, command: number, sequence: number, body: Buffer): void {
    const fields = new Fields(body, violated);
    const [system_id, password] = [fields.text(16, 'system_id'), fields.text(65, 'password')];
    fields.text(13, 'system_type');
    fields.octet('interface_version', [0x34]);
    fields.octet('addr_ton', tons);
    fields.octet('addr_npi', npis);
    fields.text(41, 'address_range');
    fields.end();
    if (peer.type) violated('a second bind on one connection');
    const status = centre.answerBind({ type, system_id, password });
    if (status === 0) {
      peer.type = type;
      centre.binds += 1;
    }
    respond(peer, command, status, sequence, status === 0 ? Buffer.from('centre\0') : Buffer.alloc(0));
  }

  async function submit(peer: Peer, sequence: number, body: Buffer): Promise<void> {
    if (peer.type === 'receiver') violated('a submit_sm from a receiver');
    const fields = new Fields(body, violated);
    fields.text(6, 'service_type');
    const source_type = `${fields.octet('source_addr_ton', tons)}/${fields.octet('source_addr_npi', npis)}`;
    const source = fields.text(21, 'source_addr');
    const destination_type = `${fields.octet('dest_addr_ton', tons)}/${fields.octet('dest_addr_npi', npis)}`;
    const destination = fields.text(21, 'destination_addr');
    if (!/^\d{3,15}$/.test(destination)) violated('destination_addr');
    const esm_class = fields.octet('esm_class', [0, 0x40]);
    fields.octet('protocol_id', [0]);
    fields.octet('priority_flag', [0]);
    if (fields.text(17, 'schedule_delivery_time') + fields.text(17, 'validity_period') !== '') violated('times');
    fields.octet('registered_delivery', [1]);
    fields.octet('replace_if_present_flag', [0]);
    const data_coding = fields.octet('data_coding', [0, 8]);
    fields.octet('sm_default_msg_id', [0]);
    const short_message = fields.octets(fields.octet('sm_length'));
    if (short_message.length > 254) violated('short_message of more than 254 octets');
    const tlvs = fields.tlvs();
    fields.end();
    checkPayload({ esm_class, data_coding, short_message, tlvs });
    ids += 1;
    const one: Submitted = {
      ...{ id: `m${ids}`, source_type, source, destination_type, destination },
      ...{ esm_class, data_coding, short_message, tlvs, at: Date.now() },
    };
    centre.submitted.push(one);
    peer.underway += 1;
    centre.mostUnderway = Math.max(centre.mostUnderway, peer.underway);
    const answer = await centre.answer(one, centre.submitted.length);
    peer.underway -= 1;
    if (answer === 'nothing') return;
    if (typeof answer === 'object' && 'nack' in answer) return send(peer, 0x8000_0000, answer.nack, sequence);
    if (typeof answer === 'object' && 'id' in answer) one.id = answer.id;
    const status = typeof answer === 'object' && 'status' in answer ? answer.status : 0;
    respond(peer, 0x04, status, sequence, status === 0 ? Buffer.from(`${one.id}\0`) : Buffer.alloc(0));
  }

  /** What a phone could not show: too long, or a wrong header. */
  function checkPayload(one: Pick<Submitted, 'esm_class' | 'data_coding' | 'short_message' | 'tlvs'>): void {
    const payload = one.tlvs.get(0x0424);
    if (payload && one.short_message.length > 0) violated('short_message and message_payload');
    if (payload) return;
    const septets = (octets: number) => (one.data_coding === 0 ? Math.ceil((octets * 7) / 8) : octets);
    if (one.esm_class === 0) {
      const room = one.tlvs.has(0x020c) ? 134 : 140;
      if (septets(one.short_message.length) > room) violated(`${one.short_message.length} octets in one message`);
      return;
    }
    const header = one.short_message.subarray(0, (one.short_message[0] ?? 0) + 1);
    const isConcatenation =
      (header.length === 6 && header[1] === 0 && header[2] === 3) ||
      (header.length === 7 && header[1] === 8 && header[2] === 4);
    if (!isConcatenation) violated('user data header');
    // Septets begin on a septet boundary after the header.
    const rest = one.short_message.length - header.length;
    const headerSeptets = Math.ceil((header.length * 8) / 7);
    if (one.data_coding === 0 ? headerSeptets + rest > 160 : header.length + rest > 140) {
      violated(`${one.short_message.length} octets in one part`);
    }
  }

  async function deliver(fields: DeliverFields): Promise<number> {
    const peer = [...peers].find(({ type }) => type === 'receiver' || type === 'transceiver');
    if (!peer) throw new Error('no bind receives');
    const { source = '447700900111', destination = '447700900444', esm_class = 0, data_coding = 0 } = fields;
    const message = Buffer.from(fields.text ?? '');
    const body = Buffer.concat([
      Buffer.from([0, 1, 1]),
      Buffer.from(`${source}\0`),
      Buffer.from([1, 1]),
      Buffer.from(`${destination}\0`),
      Buffer.from([esm_class, 0, 0, 0, 0, 0, 0, data_coding, 0, message.length]),
      message,
      ...(fields.tlvs ?? []).map(([tag, value]) => {
        const header = Buffer.alloc(4);
        header.writeUInt16BE(tag, 0);
        header.writeUInt16BE(value.length, 2);
        return Buffer.concat([header, value]);
      }),
    ]);
    return new Promise((resolve, reject) => {
      const gone = () => reject(new Error('the connection ended before the deliver_sm_resp'));
      peer.socket.once('close', gone);
      const sequence = request(peer, 0x05, body);
      peer.deliveries.set(sequence, (status) => {
        peer.socket.off('close', gone);
        resolve(status);
      });
    });
  }

  function request(peer: Peer, command: number, body: Buffer): number {
    peer.sequence += 1;
    send(peer, command, 0, peer.sequence, body);
    return peer.sequence;
  }

  function respond(
    peer: Peer,
    command: number,
    status: number,
    sequence: number,
    body: Buffer = Buffer.alloc(0),
  ): void {
    send(peer, command + 0x8000_0000, status, sequence, body);
  }

  function send(peer: Peer, command: number, status: number, sequence: number, body: Buffer = Buffer.alloc(0)): void {
    peer.socket.write(packetOf(command, status, sequence, body));
  }
}

export function packetOf(command: number, status: number, sequence: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(16 + body.length, 0);
  header.writeUInt32BE(command, 4);
  header.writeUInt32BE(status, 8);
  header.writeUInt32BE(sequence, 12);
  return Buffer.concat([header, body]);
}

/** The text of appendix B. */
export function receiptText(id: string, stat: string, err = '000'): string {
  return `id:${id} sub:001 dlvrd:001 submit date:2611151200 done date:2611151201 stat:${stat} err:${err} text:Hello`;
}

class Fields {
  private readonly body: Buffer;
  private readonly violated: (what: string) => void;
  private at = 0;

  constructor(body: Buffer, violated: (what: string) => void) {
    this.body = body;
    this.violated = violated;
  }

  octet(name: string, allowed?: number[]): number {
    const value = this.octets(1)[0] ?? 0;
    if (allowed && !allowed.includes(value)) this.violated(`${name} ${value}`);
    return value;
  }

  octets(length: number): Buffer {
    if (this.at + length > this.body.length) this.violated('a packet that ends within a field');
    this.at += length;
    return this.body.subarray(this.at - length, this.at);
  }

  text(size: number, name: string): string {
    const end = this.body.indexOf(0, this.at);
    if (end < 0 || end - this.at >= size) this.violated(`${name} is too long`);
    const value = this.body.toString('latin1', this.at, end);
    this.at = end + 1;
    return value;
  }

  tlvs(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.at + 4 <= this.body.length) {
      const header = this.octets(4);
      const [tag, length] = [header.readUInt16BE(0), header.readUInt16BE(2)];
      if (!tlvLengths.has(tag) || (tlvLengths.get(tag) ?? length) !== length) this.violated(`parameter ${tag}`);
      found.set(tag, this.octets(length));
    }
    return found;
  }

  end(): void {
    if (this.at !== this.body.length) this.violated('octets after the last field');
  }
}
