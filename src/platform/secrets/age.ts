import { Readable } from 'node:stream';
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { OperatorError } from '../operator-error.ts';

/** Encryption of files in the format of age (age-encryption.org): its own tool reads and writes the same. */

type Transform = (content: Readable) => Promise<Readable>;

export function encryptTo(recipients: readonly string[]): Transform {
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new OperatorError(
        `${recipient} is not an age recipient: one begins with age1, and \`age-keygen\` makes it.`,
      );
    }
  }
  return async (content) => Readable.fromWeb((await encrypter.encrypt(toWeb(content))) as never);
}

/** `identities` is the text of an identity file: lines that begin with AGE-SECRET-KEY-, and comments. */
export function decryptWith(identities: string): Transform {
  const keys = identities
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const decrypter = new Decrypter();
  try {
    for (const key of keys) decrypter.addIdentity(key);
  } catch {
    throw new OperatorError('The identity file holds something else than lines that begin with AGE-SECRET-KEY-.');
  }
  return async (content) => {
    try {
      return Readable.fromWeb((await decrypter.decrypt(toWeb(content))) as never);
    } catch {
      throw new OperatorError('The backup cannot be opened with this identity.');
    }
  };
}

/** 64 MiB and some seconds per try; the usual 18 takes half a minute here on a busy machine. */
const scryptWorkFactor = 16;

/** An identity for one backup, and its file as only the passphrase opens it. */
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
