/** A mail server on loopback that keeps what it receives and answers as a test has set. */
import { once } from 'node:events';
import { after } from 'node:test';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly recipient: string;
  /** As it came, with its headers. */
  readonly text: string;
}

export interface MailServer {
  readonly received: ReceivedMail[];
  /** The variables of a service that sends through it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Refuses these recipients with this status; none unless set. */
  readonly refusals: Map<string, number>;
  /** Away: it turns each connection away before it takes a mail. */
  setAway(isAway: boolean): void;
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const refusals = new Map<string, number>();
  const state = { isAway: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onConnect(_session, done) {
      if (state.isAway) return done(Object.assign(new Error('closed for now'), { responseCode: 421 }));
      return done();
    },
    onRcptTo({ address }, _session, done) {
      const status = refusals.get(address);
      if (status === undefined) return done();
      return done(Object.assign(new Error('no such mailbox'), { responseCode: status }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        for (const { address } of session.envelope.rcptTo) received.push({ recipient: address, text });
        done();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    received,
    refusals,
    variables: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Assayer <lab@example.org>' },
    setAway: (isAway) => void (state.isAway = isAway),
  };
}

/** The value of a header, unfolded and with encoded words (RFC 2047) decoded. */
export function readHeader({ text }: Pick<ReceivedMail, 'text'>, name: string): string | undefined {
  const [head = ''] = text.split('\r\n\r\n');
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const value = new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1];
  return value?.replaceAll(/\?= +=\?/g, '?==?').replaceAll(/=\?utf-8\?([bq])\?(.*?)\?=/gi, decodeWord);
}

function decodeWord(_whole: string, form: string, data: string): string {
  if (form.toLowerCase() === 'b') return Buffer.from(data, 'base64').toString();
  const bytes = data
    .replaceAll('_', ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_hex, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
