import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import hoodiecrow from 'hoodiecrow-imap';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

export interface ReceivedMail {
  /** The return path. */
  from: string;
  to: string;
  /** The parameters of the requested delivery status notifications. */
  dsn: { ret?: string | null; envid?: string | null; notify?: string };
  text: string;
  /** The name of the client in EHLO. */
  client: string;
}

/** Starts a mail server that keeps the emails it receives. It awaits the functions `before…`, which may throw a `reply`. */
export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const state = {
    beforeLogin: async () => {},
    beforeSender: async () => {},
    beforeRecipient: async (_address: string) => {},
    beforeAnswer: async (_mail: ReceivedMail) => {},
  };
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    hideDSN: false,
    logger: false,
    onAuth({ username: user }, _session, callback) {
      state.beforeLogin().then(() => callback(null, { user }), callback);
    },
    onMailFrom(_address, _session, callback) {
      state.beforeSender().then(() => callback(), callback);
    },
    onRcptTo({ address }, _session, callback) {
      state.beforeRecipient(address).then(() => callback(), callback);
    },
    onData(stream, { envelope, hostNameAppearsAs }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const mail = { ...mailOf(envelope, Buffer.concat(chunks).toString()), client: String(hostNameAppearsAs) };
        mails.push(mail);
        state.beforeAnswer(mail).then(() => callback(), callback);
      });
    },
  });
  // A client that is killed breaks its connection.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return Object.assign(state, { mails, url: `smtp://127.0.0.1:${port}`, close });
}

/** A response of a mail server, to be thrown. */
export function reply(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function mailOf({ mailFrom, rcptTo, dsn }: SMTPServerSession['envelope'], text: string): Omit<ReceivedMail, 'client'> {
  const [to] = rcptTo;
  return {
    from: mailFrom ? mailFrom.address : '',
    to: to?.address ?? '',
    dsn: { ret: dsn?.ret, envid: dsn?.envid, notify: to?.dsn?.notify?.join(',') },
    text,
  };
}

export const mailboxUser = 'bounces%40mail.example';

/** An IMAP server with one user. */
export async function startMailbox(ownPort = 0) {
  const server = hoodiecrow({
    plugins: ['ID', 'SASL-IR', 'AUTH-PLAIN', 'NAMESPACE', 'ENABLE', 'UNSELECT', 'LITERALPLUS', 'UIDPLUS', 'MOVE'],
    users: { [decodeURIComponent(mailboxUser)]: { password: 'secret' } },
    storage: { INBOX: { messages: [] }, '': { separator: '/', folders: {} } },
  });
  let connections = 0;
  server.connectionHandlers.push(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const count = (folder: string) => server.getMailbox(folder)?.messages.length ?? 0;
  return {
    url: `imap://${mailboxUser}:secret@127.0.0.1:${port}`,
    add: (email: string) => server.appendMessage('INBOX', [], false, email),
    counts: () => ({ INBOX: count('INBOX'), Processed: count('Processed'), Unrecognised: count('Unrecognised') }),
    connections: () => connections,
    /** Refuses the next move of emails, as if the connection had broken before it. */
    refuseNextMove() {
      const move = server.getCommandHandler('UID MOVE');
      server.setCommandHandler('UID MOVE', (connection, parsed, data, callback) => {
        server.setCommandHandler('UID MOVE', move);
        const attributes = [{ type: 'TEXT', value: 'not now' }];
        connection.send({ tag: parsed.tag, command: 'NO', attributes }, 'MOVE FAILED', parsed, data);
        callback();
      });
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** Emails that mail servers send about messages; the end of the name says what each means. */
export const bouncesFolder = fileURLToPath(new URL('../../bounces/', import.meta.url));

export function bounceEmail(name: string, about: { returnPath: string; signedId?: string; to?: string }): string {
  return readFileSync(`${bouncesFolder}${name}.eml`, 'utf8')
    .replaceAll('RETURN_PATH', about.returnPath)
    .replaceAll('SIGNED_ID', about.signedId ?? /\+(.*)@/.exec(about.returnPath)?.[1] ?? '')
    .replaceAll('RECIPIENT', about.to ?? 'ada@example.org')
    .replaceAll('MESSAGE_ID', '0192f000-0000-7000-8000-000000000000')
    .replaceAll(/\r?\n/g, '\r\n');
}
