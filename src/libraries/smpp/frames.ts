/** One packet of SMPP: a header of 16 octets, and a body whose fields depend on the command. */
export interface Frame {
  command: number;
  status: number;
  sequence: number;
  body: Buffer;
}

const headerBytes = 16;
/** The largest valid packet has a message_payload of 64 KiB. */
const maxFrameBytes = 66_000;

export function encodeFrame({ command, status, sequence, body }: Frame): Buffer {
  const frame = Buffer.alloc(headerBytes + body.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(command, 4);
  frame.writeUInt32BE(status, 8);
  frame.writeUInt32BE(sequence, 12);
  body.copy(frame, headerBytes);
  return frame;
}

/** The peer does not speak SMPP or sent a wrong length, so the start of the next packet is unknown. */
export class FramingError extends Error {}

/** Splits a stream into packets. Throws a FramingError before it buffers a packet that is too long. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;

  *read(chunk: Buffer): Generator<Frame> {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size >= 4) {
      const length = this.peek(4).readUInt32BE(0);
      if (length < headerBytes || length > maxFrameBytes) throw new FramingError(`a packet of ${length} octets`);
      if (this.size < length) return;
      const frame = this.peek(length).subarray(0, length);
      this.drop(length);
      yield {
        command: frame.readUInt32BE(4),
        status: frame.readUInt32BE(8),
        sequence: frame.readUInt32BE(12),
        body: frame.subarray(headerBytes),
      };
    }
  }

  /** Returns the first chunk, joined with the following ones only if it is too short. */
  private peek(length: number): Buffer {
    const [first] = this.chunks;
    if (first && first.length >= length) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }

  private drop(length: number): void {
    const rest = this.chunks[0]?.subarray(length);
    this.chunks.splice(0, 1, ...(rest && rest.length > 0 ? [rest] : []));
    this.size -= length;
  }
}
