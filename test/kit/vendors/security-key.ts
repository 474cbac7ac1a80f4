import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

interface Options {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
}

/** What a browser at this origin would send; `origin` may lie, as a page of another site does. */
interface At {
  origin: string;
}

/** A security key without a browser: signs as a real one does, with a count of its signatures. */
export class SecurityKey {
  readonly id = randomBytes(32);
  signCount = 0;
  private readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** The answer to `navigator.credentials.create`, as the form sends it. */
  create({ challenge, rp }: Options, { origin }: At): string {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cosePublicKey(this.pair.publicKey)]);
    const authData = Buffer.concat([this.authenticatorData(rp?.id ?? '', 0x41), attested]);
    // {"fmt": "none", "attStmt": {}, "authData": bytes} in CBOR
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authData),
    ]);
    return this.answer({
      clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['usb'],
    });
  }

  /** The answer to `navigator.credentials.get`. */
  get({ challenge, rpId }: Options, { origin }: At): string {
    this.signCount += 1;
    const client = clientData('webauthn.get', challenge, origin);
    const data = this.authenticatorData(rpId ?? '', 0x01);
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
    return this.answer({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.pair.privateKey).toString('base64url'),
    });
  }

  private authenticatorData(rpId: string, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.signCount);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
  }

  private answer(response: object): string {
    const id = this.id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** {1: 2, 3: -7, -1: 1, -2: x, -3: y}: an ES256 key. */
function cosePublicKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    cborBytes(Buffer.from(x, 'base64url')),
    Buffer.from([0x22]),
    cborBytes(Buffer.from(y, 'base64url')),
  ]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);
}
