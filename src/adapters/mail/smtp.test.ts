import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { after, test } from 'node:test';
import { startMailServer } from '#testing/mail-server.ts';
import { createSmtpMailer } from './smtp.ts';

const MESSAGE = {
  id: '01980000-0000-7000-8000-000000000001',
  to: 'a@example.org',
  subject: 's',
  text: 't',
  html: 'h',
};
const SILENCE_MS = 20;

/** A server that always begins an answer, line by line, and never ends it. */
async function startTalker(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((socket) => {
    const talk = setInterval(() => socket.write('220-wait\r\n'), SILENCE_MS);
    socket.on('error', () => undefined).on('close', () => clearInterval(talk));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `smtp://127.0.0.1:${port}`, server };
}

test('mail: the server talks and takes nothing → the attempt ends in time, and so does the connection', async () => {
  const { url, server } = await startTalker();
  const mailer = createSmtpMailer({ url, from: 'lab@example.org', sendMsMax: 200 });
  const opened = once(server, 'connection');
  const sending = assert.rejects(mailer.send(MESSAGE), /did not take the mail within 0\.2 s/);
  const [socket] = await opened;
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await sending;
  await closed;
});

test('mail: the service ends while a mail is on its way → the connection is cut', async () => {
  const { url, server } = await startTalker();
  const mailer = createSmtpMailer({ url, from: 'lab@example.org' });
  const opened = once(server, 'connection');
  const sending = assert.rejects(mailer.send(MESSAGE));
  await opened;
  mailer.close();
  await sending;
});

test('mail: a subject in several scripts with a line end → one encoded header that reads as it was given', async () => {
  const server = await startMailServer();
  const { SMTP_URL: url = '' } = server.variables;
  const mailer = createSmtpMailer({ url, from: 'lab@example.org' });
  await mailer.send({ ...MESSAGE, subject: 'Results of 第一輪 תיבה प्रतिपिंड 🧪\r\nBcc: x@example.org' });
  const [mail] = server.received;
  assert.ok(mail !== undefined);
  const [head = ''] = mail.text.split('\r\n\r\n');
  // oxlint-disable-next-line no-control-regex -- what RFC 5322 allows in a header
  assert.match(head, /^[\u0000-\u007F]*$/);
  assert.doesNotMatch(head, /^Bcc:/m);
  const words = [...head.replaceAll(/\r\n\s+/g, ' ').matchAll(/=\?UTF-8\?[BQ]\?[^?]+\?=/gi)];
  assert.ok(words.length > 0, head);
});

test('mail: a subject with a name that looks like an encoded word → encoded words that read as it was given', async () => {
  const server = await startMailServer();
  const { SMTP_URL: url = '' } = server.variables;
  const mailer = createSmtpMailer({ url, from: 'lab@example.org' });
  for (const others of ['', 'and 第一輪 '.repeat(12)]) {
    const subject = `Join =?utf-8?B?QmNjOiB4?= ${others}on Assayer`;
    await mailer.send({ ...MESSAGE, subject });
    const [, header = ''] = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(server.received.at(-1)?.text ?? '') ?? [];
    const words = [...header.matchAll(/=\?UTF-8\?B\?([^?]+)\?=/g)];
    assert.equal(header, words.map(([word]) => word).join('\r\n '));
    assert.ok(words.every(([word]) => word.length <= 75));
    assert.equal(words.map(([, base64 = '']) => Buffer.from(base64, 'base64').toString()).join(''), subject);
  }
});
