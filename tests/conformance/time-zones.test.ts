/**
 * What the service writes is in UTC wherever it runs, a machine in a zone of half or quarter hours included; the command
 * line alone speaks the zone of its reader.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { createZipStream } from '#adapters/archive/zip.ts';
import { createPdfRenderer } from '#adapters/pdf/renderer.ts';
import type { ArchiveEntry } from '#core/archive.ts';
import { formatLocalTime } from '#cli/words.ts';
import { computeDueDate } from '#features/invoices/rules.ts';
import { formatDay } from '#features/materials/rules.ts';
import { computeDigestTime } from '#features/notifications/rules.ts';
import { buildInvoiceDocument } from '#features/billing/document.ts';
import { documentSurroundings, openInvoice } from '#testing/invoice-document.ts';
import { renderDay, renderTime } from '#ui/words.ts';

const ZONES = ['UTC', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/St_Johns'];
/** Around the change of Lord Howe by half an hour on 5 April 2026, and around midnight in each zone and in UTC. */
const MOMENTS = [
  '2026-04-04T14:59:59.000Z',
  '2026-04-04T15:00:00.000Z',
  '2026-04-04T13:15:00.000Z',
  '2026-03-31T23:59:59.999Z',
  '2026-04-01T00:00:00.000Z',
  '2026-12-31T18:14:59.000Z',
];

const found = process.env['TZ'];
after(() => {
  if (found === undefined) delete process.env['TZ'];
  else process.env['TZ'] = found;
});

function buildInvoice(finalizedAt: Date): ReturnType<typeof buildInvoiceDocument> {
  const finalized_at = finalizedAt.toISOString();
  const due_date = computeDueDate(finalizedAt).toISOString();
  return buildInvoiceDocument({ ...openInvoice, finalized_at, due_date }, documentSurroundings);
}

async function* listEntries(): AsyncGenerator<ArchiveEntry> {
  yield { path: 'report.txt', content: 'KD 1 nM', compress: true };
}

/** All that is written about a moment. */
async function writeAll(moment: string): Promise<unknown> {
  const at = new Date(moment);
  const archive = createZipStream(listEntries(), { modifiedAt: at, onWritten: () => undefined });
  return {
    pages: [renderDay(moment), renderTime(moment)],
    day: formatDay(at),
    due: computeDueDate(at),
    digests: [0, 14, 15, 23].map((hour) => computeDigestTime(hour, at)),
    document: buildInvoice(at),
    archive: createHash('sha256')
      .update(await buffer(archive))
      .digest('hex'),
  };
}

test('time zones: pages, due dates, documents and digests on a machine in any zone → what one in UTC writes', async () => {
  process.env['TZ'] = 'UTC';
  const inUtc = await Promise.all(MOMENTS.map(writeAll));
  for (const zone of ZONES) {
    process.env['TZ'] = zone;
    assert.equal(new Date(0).getTimezoneOffset() === 0, zone === 'UTC', 'the machine is in that zone');
    assert.deepEqual(await Promise.all(MOMENTS.map(writeAll)), inUtc, zone);
  }
});

test('time zones: a PDF on a machine in a zone of half hours → the bytes of one in UTC', async () => {
  const pdf = createPdfRenderer();
  const document = buildInvoice(new Date('2026-04-04T15:00:00.000Z'));
  try {
    const [inUtc, onLordHowe] = [await render('UTC'), await render('Australia/Lord_Howe')];
    assert.deepEqual(onLordHowe, inUtc);
  } finally {
    await pdf.close();
  }
  async function render(zone: string): Promise<Uint8Array> {
    process.env['TZ'] = zone;
    return new Uint8Array(await pdf.render(document, { organizationId: 'one' }));
  }
});

test('time zones: the command line → the offset of the reader, changed by half an hour on Lord Howe', () => {
  const show = (zone: string, moment: string): string => {
    process.env['TZ'] = zone;
    return formatLocalTime(moment);
  };
  assert.equal(show('Australia/Lord_Howe', '2026-04-04T14:59:59.000Z'), '2026-04-05 01:59 +11:00');
  assert.equal(show('Australia/Lord_Howe', '2026-04-04T15:00:00.000Z'), '2026-04-05 01:30 +10:30');
  assert.equal(show('Asia/Kathmandu', '2026-12-31T18:14:59.000Z'), '2026-12-31 23:59 +05:45');
  assert.equal(show('Asia/Kathmandu', '2026-12-31T18:15:00.000Z'), '2027-01-01 00:00 +05:45');
});
