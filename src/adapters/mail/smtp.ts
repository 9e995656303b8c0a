/** Mail through a server of the operator's choice (SMTP, RFC 5321). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { SendMailOptions, Transporter } from 'nodemailer';
import { MailRefusedError, type Mailer } from '#features/notifications/mail/rules.ts';

/** Silence of the server. */
const TIMEOUT_MS = 20_000;
/** The whole of a mail: a server may say something again and again and take nothing. */
const SEND_MS_MAX = 60_000;

export interface SmtpSettings {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  readonly url: string;
  /** `Name <address>` or an address. */
  readonly from: string;
  /** How long a mail may take, in milliseconds; 60,000 unless stated. */
  readonly sendMsMax?: number;
}

export interface SmtpMailer extends Mailer {
  close(): void;
}

export function createSmtpMailer({ url, from, sendMsMax = SEND_MS_MAX }: SmtpSettings): SmtpMailer {
  const address = new URL(url);
  const sockets = new Set<Socket>();
  const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? address.hostname;
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl }) {
      const message = {
        from,
        to: { name: '', address: to },
        text,
        html,
        messageId: `<${id}@${domain}>`,
        headers: {
          Subject: createSubjectHeader(subject),
          'Auto-Submitted': 'auto-generated',
          ...createListHeaders(unsubscribeUrl),
        },
      };
      const socket = connect(findPlace(address));
      sockets.add(socket);
      try {
        await sendWithin(sendMsMax, address, socket, message);
      } catch (error) {
        throw isRefusal(error) ? new MailRefusedError(error.message, { cause: error }) : error;
      } finally {
        sockets.delete(socket);
      }
    },
    close: () => sockets.forEach((socket) => socket.destroy(new Error('the service stops'))),
  };
}

/** At most 75 characters in an encoded word (RFC 2047): with 42 bytes in base64 it has 68. */
const BYTES_OF_WORD = 42;

/**
 * The library writes a subject in ASCII as it is, also one with a name that looks like an encoded word, which mail
 * programs would decode. Such a subject is encoded here.
 */
function createSubjectHeader(subject: string): string | { readonly prepared: true; readonly value: string } {
  if (!subject.includes('=?')) return subject;
  const words: string[] = [''];
  for (const character of subject.replaceAll(/\s+/g, ' ')) {
    const longer = `${words.at(-1) ?? ''}${character}`;
    if (Buffer.byteLength(longer) > BYTES_OF_WORD) words.push(character);
    else words[words.length - 1] = longer;
  }
  const value = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
  return { prepared: true, value };
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

async function sendWithin(
  limitMs: number,
  address: URL,
  socket: Socket,
  message: SendMailOptions,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const limit = setTimeout(() => {
    late.reject(new Error(`the mail server did not take the mail within ${limitMs / 1_000} s`));
  }, limitMs);
  try {
    await Promise.race([sendOver(socket, address, message), late.promise]);
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

async function sendOver(socket: Socket, address: URL, message: SendMailOptions): Promise<void> {
  // Whoever waits for the socket hears of its errors, too; between two of them nobody does.
  socket.on('error', () => undefined);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the mail server is silent')));
  await once(socket, 'connect');
  const transport = await openTransport(address, socket);
  await transport.sendMail(message);
}

const SUBMISSION_PORT = 587;
const SECURE_PORT = 465;

function findPlace({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const usual = protocol === 'smtps:' ? SECURE_PORT : SUBMISSION_PORT;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) };
}

/** Each mail has its own socket, so that it can be cut. The library is loaded with the first mail. */
async function openTransport(address: URL, socket: Socket): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
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
    connection: socket,
    ...findPlace(address),
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
