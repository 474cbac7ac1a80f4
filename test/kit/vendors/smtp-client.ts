import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** An SMTP client that sends exactly what a test tells it to. */
export class SmtpClient {
  private socket: Socket;
  private received = '';
  private closed = false;
  private wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    this.listen();
  }

  static async open(port: number, { tls = false } = {}): Promise<SmtpClient> {
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect({ port, host: '127.0.0.1' });
    const client = new SmtpClient(socket);
    await client.reply();
    return client;
  }

  /** Returns a client that is signed in, without TLS by default. */
  static async signedIn(port: number, key: string, tls = false): Promise<SmtpClient> {
    const client = await SmtpClient.open(port);
    await client.say('EHLO test');
    if (tls) await client.startTls();
    const answer = await client.login(key);
    if (!answer.startsWith('235')) throw new Error(answer);
    return client;
  }

  /** Sends the text without waiting for a reply. */
  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Sends a command and returns the whole reply. */
  say(command: string): Promise<string> {
    this.write(`${command}\r\n`);
    return this.reply();
  }

  login(key: string, user = 'anything'): Promise<string> {
    return this.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${key}`).toString('base64')}`);
  }

  /** Sends several commands and returns the reply to the last one. */
  async sayAll(...commands: string[]): Promise<string> {
    let last = '';
    for (const command of commands) last = await this.say(command);
    return last;
  }

  /** Sends an email; `source` is everything after DATA. */
  async send(source: string, ...recipients: string[]): Promise<string> {
    const begun = await this.say('MAIL FROM:<software@example.org>');
    if (!begun.startsWith('250')) return begun;
    for (const recipient of recipients) {
      const answer = await this.say(`RCPT TO:<${recipient}>`);
      if (!answer.startsWith('250')) return answer;
    }
    await this.say('DATA');
    this.write(source.replaceAll(/^\./gm, '..'));
    return this.say('\r\n.');
  }

  async startTls(after = ''): Promise<void> {
    this.write(`STARTTLS\r\n${after}`);
    await this.reply();
    const plain = this.socket;
    plain.removeAllListeners();
    this.socket = connectTls({ socket: plain, rejectUnauthorized: false });
    this.listen();
    await this.say('EHLO test');
  }

  /** Returns the next reply, or an empty text after the server has closed the connection. */
  async reply(): Promise<string> {
    for (;;) {
      const found = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.received);
      if (found) {
        this.received = this.received.slice(found[0].length);
        return found[0].trimEnd();
      }
      if (this.closed) return '';
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private listen(): void {
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString('utf8');
      this.wake();
    });
    const end = () => {
      this.closed = true;
      this.wake();
    };
    this.socket.on('close', end).on('error', end);
  }
}
