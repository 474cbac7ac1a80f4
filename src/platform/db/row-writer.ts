/** Ids of built-in types, the same in every PostgreSQL. */
const types = { boolean: 16, int2: 21, int4: 23, text: 25, date: 1082, timestamptz: 1184, uuid: 2950, jsonb: 3802 };

/** The server ignores the type id of a composite type in an array, because it differs between databases. */
const anyType = 0;

const usualSlabBytes = 64 * 1024;
/** A character takes up to three bytes in UTF-8 (a surrogate pair takes four). */
const bytesPerCharacter = 3;
/** Longer than any fixed-length value with its type and length. */
const fixedBytes = 32;
/** Below this length, copying character by character is faster than a call into native code. */
const shortText = 48;
const hyphen = 0x2d;
const notADigit = -1;
/** Hexadecimal digits by character code. */
const digitOf = Int8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(digit) ? notADigit : digit;
});
const jsonbVersion = 1;
const nullLength = -1;
/** The size of the header of a one-dimensional array. */
const arrayHeadBytes = 20;
const noNulls = 0;
const firstIndex = 1;

/** PostgreSQL rejects NUL and lone surrogates. */
const unstorable = /[\0\p{Surrogate}]/u;
// Matches how JSON.stringify escapes them. After an odd number of further backslashes, the same characters are plain text.
const unstorableInJson = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

export function isStorableJson(json: string): boolean {
  return !(json.includes('\\u') && unstorableInJson.test(json));
}

/**
 * Serializes rows of a composite type in PostgreSQL's binary format, for a parameter such as `$1::some_type[]`. The server reads it in a
 * third of the time of JSON, because it parses no ids, numbers or times and looks up no names.
 */
export class RowWriter {
  private readonly slabBytes: number;
  /** Rows share a slab, because allocating memory for each would take as long as writing it. */
  private slab: Buffer;
  private view: DataView;
  private start = 0;
  private at = 0;
  /** Whether PostgreSQL can store the texts of the row. */
  isStorable = true;

  constructor(slabBytes = usualSlabBytes) {
    this.slabBytes = slabBytes;
    this.slab = Buffer.allocUnsafe(slabBytes);
    this.view = viewOf(this.slab);
  }

  /** Overwrites earlier rows and arrays, which must have been stored or discarded. */
  rewind(): void {
    this.at = 0;
  }

  /** Returns the value of an array parameter. */
  array(rows: Buffer[]): Buffer {
    this.start = this.at;
    this.ensure(arrayHeadBytes + rows.reduce((sum, row) => sum + row.length, 0));
    this.view.setInt32(this.at, rows.length === 0 ? 0 : 1);
    this.view.setInt32(this.at + 4, noNulls);
    this.view.setInt32(this.at + 8, anyType);
    this.at += 12;
    if (rows.length > 0) {
      this.view.setInt32(this.at, rows.length);
      this.view.setInt32(this.at + 4, firstIndex);
      this.at += 8;
    }
    for (const row of rows) {
      row.copy(this.slab, this.at);
      this.at += row.length;
    }
    return this.slab.subarray(this.start, this.at);
  }

  begin(columns: number): void {
    this.isStorable = true;
    this.start = this.at;
    this.ensure(fixedBytes);
    this.view.setInt32(this.at + 4, columns);
    this.at += 8;
  }

  end(): Buffer {
    this.view.setInt32(this.start, this.at - this.start - 4);
    return this.slab.subarray(this.start, this.at);
  }

  uuid(value: string | null): void {
    if (this.isNull(types.uuid, value)) return;
    this.head(types.uuid, 16);
    const { slab } = this;
    let at = this.at;
    let digits = 0;
    for (let index = 0; index < value.length; index += 2) {
      if (value.charCodeAt(index) === hyphen) index += 1;
      const high = digitOf[value.charCodeAt(index)] ?? notADigit;
      const low = digitOf[value.charCodeAt(index + 1)] ?? notADigit;
      digits |= high | low;
      slab[at] = (high << 4) | low;
      at += 1;
    }
    if (digits < 0 || at - this.at !== 16) throw new Error(`Not a UUID: ${value}`);
    this.at = at;
  }

  text(value: string | null): void {
    if (this.isNull(types.text, value)) return;
    this.ensure(value.length * bytesPerCharacter + fixedBytes);
    const end = this.writeAscii(value, this.at + 8) || this.writeAny(value, this.at + 8);
    this.head(types.text, end - this.at - 8);
    this.at = end;
  }

  jsonb(value: unknown): void {
    const json = JSON.stringify(value);
    if (!isStorableJson(json)) this.isStorable = false;
    this.ensure(json.length * bytesPerCharacter + fixedBytes);
    const length = this.slab.write(json, this.at + 9);
    this.head(types.jsonb, length + 1);
    this.slab[this.at] = jsonbVersion;
    this.at += length + 1;
  }

  int4(value: number | null): void {
    if (this.isNull(types.int4, value)) return;
    this.head(types.int4, 4);
    this.view.setInt32(this.at, value);
    this.at += 4;
  }

  int2(value: number | null): void {
    if (this.isNull(types.int2, value)) return;
    this.head(types.int2, 2);
    this.view.setInt16(this.at, value);
    this.at += 2;
  }

  boolean(value: boolean): void {
    this.head(types.boolean, 1);
    this.view.setInt8(this.at, value ? 1 : 0);
    this.at += 1;
  }

  /** A day as `2026-11-15`. */
  date(value: string): void {
    this.head(types.date, 4);
    this.view.setInt32(this.at, microsecondsOf(`${value}T00:00:00.000000Z`) / microsecondsPerDay);
    this.at += 4;
  }

  /** A time as `2026-11-15T02:23:57.123456Z`. */
  timestamptz(value: string | null): void {
    if (this.isNull(types.timestamptz, value)) return;
    this.head(types.timestamptz, 8);
    const microseconds = microsecondsOf(value);
    this.view.setInt32(this.at, Math.floor(microseconds / 2 ** 32));
    this.view.setUint32(this.at + 4, microseconds % 2 ** 32);
    this.at += 8;
  }

  /** Writes a null if the value is null. */
  private isNull(type: number, value: unknown): value is null {
    if (value !== null) return false;
    this.head(type, nullLength);
    return true;
  }

  private head(type: number, length: number): void {
    this.ensure(fixedBytes);
    this.view.setInt32(this.at, type);
    this.view.setInt32(this.at + 4, length);
    this.at += 8;
  }

  /** Returns the end of the text, or 0 if it is not short or not ASCII. */
  private writeAscii(value: string, at: number): number {
    if (value.length > shortText) return 0;
    const { slab } = this;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code === 0 || code > 0x7f) return 0;
      slab[at + index] = code;
    }
    return at + value.length;
  }

  private writeAny(value: string, at: number): number {
    if (unstorable.test(value)) this.isStorable = false;
    return at + this.slab.write(value, at);
  }

  /** Continues in a new slab if the row does not fit into the rest of this one. */
  private ensure(bytes: number): void {
    if (this.at + bytes <= this.slab.length) return;
    const begun = this.slab.subarray(this.start, this.at);
    this.slab = Buffer.allocUnsafe(Math.max(this.slabBytes, (begun.length + bytes) * 2));
    this.view = viewOf(this.slab);
    begun.copy(this.slab);
    this.at = begun.length;
    this.start = 0;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** PostgreSQL counts time from the year 2000. */
const epoch_ms = Date.UTC(2000, 0, 1);
const microsecondsPerDay = 86_400_000_000;

let lastSecond = '';
let lastSecond_ms = 0;

function microsecondsOf(time: string): number {
  // Under load, many rows share a second, and parsing is expensive.
  if (!time.startsWith(lastSecond) || lastSecond === '') {
    lastSecond = time.slice(0, 19);
    lastSecond_ms = Date.parse(`${lastSecond}Z`) - epoch_ms;
  }
  return lastSecond_ms * 1_000 + Number(time.slice(20, -1));
}
