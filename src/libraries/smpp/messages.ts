import { parameters } from './commands.ts';

/** The type of number and numbering plan of an address. */
export interface AddressType {
  ton: number;
  npi: number;
}

export interface BindFields {
  system_id: string;
  password: string;
  system_type: string;
  address_range: string;
}

const interfaceVersion = 0x34;

export function encodeBind({ system_id, password, system_type, address_range }: BindFields): Buffer {
  // Some accounts have passwords longer than the eight octets of the specification.
  return new FieldWriter()
    .text(system_id, 16)
    .text(password, 65)
    .text(system_type, 13)
    .octet(interfaceVersion, 0, 0)
    .text(address_range, 41)
    .body();
}

/** The short_message of a submit_sm, or the parameters that replace it. */
export interface Payload {
  esm_class: number;
  data_coding: number;
  short_message: Buffer;
  parameters: [tag: number, value: Buffer][];
}

interface SubmitFields extends Payload {
  service_type: string;
  source: AddressType & { address: string };
  destination: AddressType & { address: string };
}

export function encodeSubmit(fields: SubmitFields): Buffer {
  const { service_type, source, destination, esm_class, data_coding, short_message } = fields;
  const protocol_id = 0;
  const priority_flag = 0;
  const registered_delivery = 1;
  const replace_if_present_flag = 0;
  const sm_default_msg_id = 0;
  const writer = new FieldWriter()
    .text(service_type, 6)
    .octet(source.ton, source.npi)
    .text(source.address, 21)
    .octet(destination.ton, destination.npi)
    .text(destination.address, 21)
    .octet(esm_class, protocol_id, priority_flag)
    // Immediate delivery and the default validity period.
    .text('', 17)
    .text('', 17)
    .octet(registered_delivery, replace_if_present_flag, data_coding, sm_default_msg_id, short_message.length)
    .octets(short_message);
  for (const [tag, value] of fields.parameters) writer.parameter(tag, value);
  return writer.body();
}

/** Returns the message_id of a submit_sm_resp, empty if there is none. */
export function readMessageId(body: Buffer): string {
  return body.length === 0 ? '' : new FieldReader(body).text(65);
}

export interface Delivered {
  source: string;
  destination: string;
  esm_class: number;
  data_coding: number;
  /** The short_message or message_payload. */
  content: Buffer;
  parameters: Map<number, Buffer>;
}

export function readDeliver(body: Buffer): Delivered {
  const reader = new FieldReader(body);
  reader.text(6);
  reader.octets(2);
  const source = reader.text(21);
  reader.octets(2);
  const destination = reader.text(21);
  const esm_class = reader.octet();
  reader.octets(2);
  reader.text(17);
  reader.text(17);
  reader.octets(2);
  const data_coding = reader.octet();
  reader.octet();
  const short_message = reader.octets(reader.octet());
  const found = reader.parameters();
  const payload = found.get(parameters.message_payload);
  const content = short_message.length === 0 && payload ? payload : short_message;
  return { source, destination, esm_class, data_coding, content, parameters: found };
}

/** The body does not match the fields of its command. */
export class FieldError extends Error {}

/** Reads integers, strings that end with a zero octet, and optional parameters (tag, length, value). */
class FieldReader {
  private readonly body: Buffer;
  private offset = 0;

  constructor(body: Buffer) {
    this.body = body;
  }

  octet(): number {
    return this.octets(1).readUInt8(0);
  }

  octets(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.body.length) throw new FieldError('the packet ends within a field');
    const value = this.body.subarray(this.offset, end);
    this.offset = end;
    return value;
  }

  /** `size` is the max length in the specification, including the zero octet. */
  text(size: number): string {
    const end = this.body.indexOf(0, this.offset);
    if (end < 0) throw new FieldError('a string has no end');
    if (end - this.offset >= size) throw new FieldError(`a string is longer than ${size - 1} octets`);
    const value = this.body.toString('latin1', this.offset, end);
    this.offset = end + 1;
    return value;
  }

  /** Reads all optional parameters up to the end of the body, by tag. */
  parameters(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.offset < this.body.length) {
      const header = this.octets(4);
      found.set(header.readUInt16BE(0), this.octets(header.readUInt16BE(2)));
    }
    return found;
  }
}

class FieldWriter {
  private readonly chunks: Buffer[] = [];

  octet(...values: number[]): this {
    this.chunks.push(Buffer.from(values));
    return this;
  }

  octets(value: Buffer): this {
    this.chunks.push(value);
    return this;
  }

  text(value: string, size: number): this {
    const encoded = Buffer.from(`${value}\0`, 'latin1');
    if (encoded.length > size) throw new FieldError(`"${value}" is longer than ${size - 1} octets`);
    return this.octets(encoded);
  }

  parameter(tag: number, value: Buffer): this {
    const header = Buffer.alloc(4);
    header.writeUInt16BE(tag, 0);
    header.writeUInt16BE(value.length, 2);
    return this.octets(header).octets(value);
  }

  body(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
