import type { SMTPServerAddress } from 'smtp-server';
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

const tlsFirst = '5.7.0 Must issue a STARTTLS command first';

/** The connection of the library, where it does not do what we need and has no option for it. */
export function connectionClass(Base: typeof SMTPConnection, isPlainAllowed: (address: string) => boolean) {
  return class Connection extends Base {
    readonly since = performance.now();

    private get needsTls(): boolean {
      return !this.secure && !isPlainAllowed(this.remoteAddress);
    }

    override send(code: number, data?: string | string[] | null, context?: string | false): void {
      let text = data;
      if (this.needsTls && Array.isArray(data)) text = data.filter((line) => !line.startsWith('AUTH '));
      if (this.needsTls && code === 530) text = tlsFirst;
      const hasEnhancedCode = typeof text === 'string' && /^[245]\.\d+\.\d+ /.test(text);
      super.send(code, text, hasEnhancedCode ? false : context);
    }

    /** Refuses before the client sends a password. */
    override handler_AUTH(command: Buffer, next: () => void): void {
      if (!this.needsTls) super.handler_AUTH(command, next);
      else {
        this.send(530, tlsFirst);
        next();
      }
    }

    /** The library refuses addresses without a domain, such as root as a sender, and rewrites international domains. */
    override _parseAddressCommand(name: string, command: Buffer | string): SMTPServerAddress | false {
      const text = command.toString();
      const parsed = super._parseAddressCommand(name, text.replace(/<([^<>@\s]+)>/, '<$1@localhost>'));
      const [, written = ''] = /<(?:@[^:]*:)?([^<>]*)>/.exec(text) ?? [];
      return parsed && { ...parsed, address: written };
    }

    /** Leaves the declared size to checkSender(). */
    override _validateMailParams(parsed: SMTPServerAddress) {
      const error = super._validateMailParams(parsed);
      return error?.code === 552 ? null : error;
    }
  };
}
