/** Fields of a body: integers, strings that end with a zero octet, and optional parameters (tag, length, value). */

/** The body does not have the fields of its command. */
export class FieldError extends Error {}

export class FieldReader {
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

  /** `size` is the longest that the specification allows, with its zero octet. */
  text(size: number): string {
    const end = this.body.indexOf(0, this.offset);
    if (end < 0) throw new FieldError('a string has no end');
    if (end - this.offset >= size) throw new FieldError(`a string is longer than ${size - 1} octets`);
    const value = this.body.toString('latin1', this.offset, end);
    this.offset = end + 1;
    return value;
  }

  /** All optional parameters up to the end of the body, by tag. */
  parameters(): Map<number, Buffer> {
    const found = new Map<number, Buffer>();
    while (this.offset < this.body.length) {
      const header = this.octets(4);
      found.set(header.readUInt16BE(0), this.octets(header.readUInt16BE(2)));
    }
    return found;
  }
}

export class FieldWriter {
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
