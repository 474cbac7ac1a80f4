import { Readable } from 'node:stream';
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { OperatorError } from '../failure.ts';

/** File encryption in the age format (age-encryption.org), compatible with the age tool. */

type Transform = (content: Readable) => Promise<Readable>;

export function encryptTo(recipients: readonly string[]): Transform {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new OperatorError(
        `${recipient} is not an age recipient: it must begin with age1; create one with \`age-keygen\`.`,
      );
    }
  }
  return async (content) => Readable.fromWeb((await encrypter.encrypt(toWeb(content))) as never);
}

/** `identities` is the content of an identity file: lines that begin with AGE-SECRET-KEY-, and comments. */
export function decryptWith(identities: string): Transform {
  const keys = identities
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const decrypter = new Decrypter();
  try {
    for (const key of keys) decrypter.addIdentity(key);
  } catch {
    throw new OperatorError('The identity file contains lines that do not begin with AGE-SECRET-KEY-.');
  }
  return async (content) => {
    try {
      return Readable.fromWeb((await decrypter.decrypt(toWeb(content))) as never);
    } catch {
      throw new OperatorError('The backup cannot be opened with this identity.');
    }
  };
}

/** 64 MiB and a few seconds per guess; the default of 18 takes half a minute here on a busy machine. */
const scryptWorkFactor = 16;

/** Creates an identity for one backup; its file is encrypted with the passphrase. */
export async function newIdentity(passphrase: string): Promise<{ recipient: string; file: Uint8Array }> {
  const identity = await generateIdentity();
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(scryptWorkFactor);
  encrypter.setPassphrase(passphrase);
  return { recipient: await identityToRecipient(identity), file: await encrypter.encrypt(`${identity}\n`) };
}

export async function openIdentity(file: Uint8Array, passphrase: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(file, 'text');
  } catch {
    throw new OperatorError('The passphrase is not the one that the backup was encrypted with.');
  }
}

function toWeb(content: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(content) as unknown as ReadableStream<Uint8Array>;
}
