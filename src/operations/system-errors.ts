import { userInfo } from 'node:os';

type SystemError = NodeJS.ErrnoException & { address?: string; port?: number };

/** Explains operating system errors that the operator can fix. Returns undefined for other errors. */
export function explainSystemError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', syscall, address, port, path }: SystemError = error;
  if (syscall === 'listen') return refusedPorts[code]?.(String(address), String(port));
  const advice = refusedFiles[code];
  // A write error has no path.
  const isOurs = path !== undefined || code === 'ENOSPC';
  return advice === undefined || !isOurs ? undefined : `${error.message}. ${advice}`;
}

const refusedPorts: Record<string, (address: string, port: string) => string> = {
  EADDRINUSE: (address, port) => `Port ${port} of ${address} is in use by another process. Stop that one, or set PORT.`,
  EADDRNOTAVAIL: (address) =>
    `This machine has no address ${address}. Set HOST to one that it has; 0.0.0.0 stands for all of them.`,
  EACCES: (_address, port) =>
    `This process cannot open port ${port} as ${userName()}. Set PORT to 1024 or more, and put a proxy in front.`,
};

const anotherPlace = 'set DATA_DIR, or the folder in the command, to another place.';
const refusedFiles: Record<string, string> = {
  EACCES: `Let ${userName()} write there, or ${anotherPlace}`,
  EPERM: `Let ${userName()} write there, or ${anotherPlace}`,
  EROFS: `Make it writable, or ${anotherPlace}`,
  EEXIST: `Remove what is there, or ${anotherPlace}`,
  ENOTDIR: `A file is where a folder should be: remove it, or ${anotherPlace}`,
  ENOSPC: `The disk is full: free some space, or ${anotherPlace}`,
};

function userName(): string {
  try {
    return `the user ${userInfo().username}`;
  } catch {
    // In a container, the user may have no name.
    return `the user ${process.getuid?.()}`;
  }
}
