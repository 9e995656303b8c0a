import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { CSV_TEXT, sendAttachment } from './http.ts';

async function findFileName(fileName: string): Promise<string> {
  const app = fastify();
  app.get('/', (_request, reply) =>
    sendAttachment(reply, { fileName, contentType: CSV_TEXT, content: 'a,b\n' }),
  );
  const { headers, payload, statusCode } = await app.inject('/');
  assert.equal(statusCode, 200);
  assert.equal(payload, 'a,b\n');
  assert.equal(headers['content-type'], CSV_TEXT);
  return String(headers['content-disposition']);
}

test('attachment: a name with quotes, line ends and letters beyond ASCII → one header with a plain name', async () => {
  assert.equal(
    await findFileName('a"b\r\nset-cookie: c=1;é/../plate 1.csv'),
    'attachment; filename="a_b__set-cookie__c_1___.._plate_1.csv"',
  );
});

test('attachment: a name longer than a file name may be → its end, which says the format', async () => {
  const header = await findFileName(`${'p'.repeat(500)}.csv`);
  assert.equal(header, `attachment; filename="${'p'.repeat(96)}.csv"`);
});
