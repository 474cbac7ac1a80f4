import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A key pair and a self-signed certificate, like Amazon's for SNS messages. */
export function aCertificate(
  valid: { from: Date; until: Date },
  owner = 'sns.amazonaws.com',
): { pem: string; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rsaWithSha256 = der(0x30, der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05));
  const commonName = der(0x30, der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(owner)));
  const name = der(0x30, der(0x31, commonName));
  const facts = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    rsaWithSha256,
    name,
    der(0x30, utcTime(valid.from), utcTime(valid.until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = createSign('RSA-SHA256').update(facts).sign(privateKey);
  const certificate = der(0x30, facts, rsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return { pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, privateKey };
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function utcTime(moment: Date): Buffer {
  return der(
    0x17,
    Buffer.from(
      `${moment
        .toISOString()
        .replaceAll(/[-:T]|\..*/g, '')
        .slice(2)}Z`,
    ),
  );
}
