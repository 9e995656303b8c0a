/** Mail through a server of the operator's choice (SMTP, RFC 5321). */
import type { Transporter } from 'nodemailer';
import { MailRefusedError, type Mailer } from '#domain/mail/rules.ts';

const TIMEOUT_MS = 20_000;

export interface SmtpSettings {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  readonly url: string;
  /** `Name <address>` or an address. */
  readonly from: string;
}

export interface SmtpMailer extends Mailer {
  close(): void;
}

export function createSmtpMailer({ url, from }: SmtpSettings): SmtpMailer {
  const address = new URL(url);
  let opened: Promise<Transporter> | undefined;
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? address.hostname;
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }) {
      opened ??= openTransport(address);
      const transport = await opened;
      const message = {
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', ...createListHeaders(unsubscribeUrl) },
      };
      await transport.sendMail(message).catch((error: unknown) => {
        throw isRefusal(error) ? new MailRefusedError(error.message, { cause: error }) : error;
      });
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

/** One-click unsubscription (RFC 8058). */
function createListHeaders(url: string | undefined) {
  if (url === undefined) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

const REFUSED = 500;

/** A 5xx answer to the recipient or the text stays the same; one to our sender or password is for the operator to mend. */
function isRefusal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('responseCode' in error) || !('command' in error)) return false;
  const isAboutMessage = error.command === 'RCPT TO' || error.command === 'DATA';
  return isAboutMessage && typeof error.responseCode === 'number' && error.responseCode >= REFUSED;
}

/** The library is loaded with the first mail. */
async function openTransport(address: URL): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const port = address.port === '' ? {} : { port: Number(address.port) };
  const auth =
    address.username === ''
      ? {}
      : {
          auth: {
            user: decodeURIComponent(address.username),
            pass: decodeURIComponent(address.password),
          },
        };
  return createTransport({
    host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
    ...port,
    ...auth,
    secure: address.protocol === 'smtps:',
    // The password is sent unencrypted only to this machine.
    requireTLS: address.protocol === 'smtp:' && 'auth' in auth && !isLoopback(address.hostname),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
