declare module 'hoodiecrow-imap' {
  import type { Server, Socket } from 'node:net';

  interface Mailbox {
    messages: { uid: number; raw: string }[];
  }
  interface Connection {
    socket: Socket;
    send(response: object, description: string, parsed: object, data: unknown): void;
  }
  type Handler = (connection: Connection, parsed: { tag: string }, data: unknown, callback: () => void) => void;
  interface ImapServer {
    server: Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
    getMailbox(path: string): Mailbox | undefined;
    appendMessage(mailbox: string, flags: string[], date: false, raw: string): void;
    getCommandHandler(command: string): Handler;
    setCommandHandler(command: string, handler: Handler): void;
    connectionHandlers: ((connection: Connection) => void)[];
  }
  export default function hoodiecrow(options: {
    plugins: string[];
    users: Record<string, { password: string }>;
    storage: Record<string, object>;
  }): ImapServer;
}

declare module '*/scripts/ready.mjs' {
  export function makeReady(options?: { tools?: boolean }): Promise<void>;
}
