import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from '#testing/properties.ts';
import type { PdfBlock, PdfDocument } from '../document.ts';
import { findMisplaced, readPdf } from '#testing/pdf.ts';
import { getColor } from '../colors.ts';
import { drawText as label, type Mark, type Scene } from '../scene.ts';
import { drawPdf } from './draw.ts';

const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(
  3,
);

function createDocument(blocks: readonly PdfBlock[], paper: PdfDocument['paper'] = 'a4'): PdfDocument {
  return {
    title: 'Quote Q-2026-00001',
    author: 'Example Protein Lab',
    subject: 'Quote',
    language: 'en',
    paper,
    createdAt: '2026-03-02T09:00:00.000Z',
    footer: 'Quote Q-2026-00001 · Example Protein Lab',
    blocks,
  };
}

function createScene(width: number, height: number, marks: readonly Mark[]): Scene {
  return { width, height, title: 'A figure', description: 'What it shows', series: [], marks };
}

const columns = [
  { title: 'Description', align: 'left', grows: true },
  { title: 'Quantity', align: 'right' },
  { title: 'Amount', align: 'right' },
] as const;

const createTable = (count: number): PdfBlock => ({
  kind: 'table',
  columns,
  rows: Array.from({ length: count }, (_, row) => [`Assay of design ${row + 1}`, '1', '$207.00']),
});

const masthead: PdfBlock = {
  kind: 'masthead',
  issuer: 'Example Protein Lab',
  issuerLines: ['1 Example Street', '1010 Vienna'],
  title: 'Quote',
  subtitle: 'Q-2026-00001',
  stamp: { text: 'ACCEPTED', tone: 'good' },
};

test('PDF: nobody waits for it any more → it ends before the next block', async () => {
  let calls = 0;
  const isAbandoned = (): boolean => ++calls === 3;
  const blocks = Array.from({ length: 5 }, () => createTable(1));
  await assert.rejects(drawPdf(createDocument(blocks), isAbandoned), /nobody waits/);
  assert.equal(calls, 3);
});

test('PDF: pages are full of marks → a finished page takes little more than the bytes of its marks', async () => {
  setFlagsFromString('--expose-gc');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function that the flag adds
  const collectGarbage = runInNewContext('gc') as () => void;
  const heldBytes: number[] = [];
  const measure = (): boolean => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    heldBytes.push(heapUsed + external);
    return false;
  };
  const paint = { stroke: getColor('ink') };
  const d = `M 0 0 ${'L 90 90 '.repeat(8_000)}`;
  const scene = createScene(800, 1000, [{ kind: 'path', d, paint }]);
  const blocks = Array.from({ length: 8 }, (): PdfBlock => ({ kind: 'picture', scene }));
  await drawPdf(createDocument(blocks), measure);
  const [, second = 0] = heldBytes;
  const pageBytes = ((heldBytes.at(-1) ?? 0) - second) / (heldBytes.length - 2);
  assert.ok(pageBytes < 1_000_000, `${Math.round(pageBytes)} bytes for each page`);
});

test('PDF: a document with text, table and heading → readable text, embedded font subsets and tags', async () => {
  const bytes = await drawPdf(createDocument([masthead, createTable(2), { kind: 'heading', text: 'Terms' }]));
  const read = await readPdf(bytes);
  assert.match(read.text, /Example Protein Lab.*Assay of design 1.*\$207\.00.*Page 1 of 1/);
  assert.equal(read.isTagged, true);
  assert.equal(read.info.Language, 'en');
  assert.equal(read.info.Title, 'Quote Q-2026-00001');
  const roles = new Set(read.pages[0]?.roles);
  for (const role of ['Document', 'H1', 'H2', 'P', 'Table', 'TR', 'TH', 'TD'])
    assert.ok(roles.has(role), `there is no ${role}`);
  const raw = Buffer.from(bytes).toString('latin1');
  const names = new Set(raw.match(/\/BaseFont \/\S+/g));
  assert.equal(names.size, 2);
  for (const name of names) assert.match(name, /\/BaseFont \/[A-Z]{6}\+DejaVu/);
  assert.equal(raw.match(/\/FontFile2 /g)?.length, 2);
});

test('PDF: the same document twice → the same bytes; another document → others', async () => {
  const one = await drawPdf(createDocument([masthead, createTable(60)]));
  assert.deepEqual(await drawPdf(createDocument([masthead, createTable(60)])), one);
  assert.notDeepEqual(await drawPdf(createDocument([masthead, createTable(61)])), one);
});

test('PDF: a ligature and its letters share a glyph, each in a document → each is copied as it was written', async () => {
  const draw = async (text: string) => drawPdf(createDocument([{ kind: 'paragraph', text }]));
  const letters = await draw('waffle');
  assert.notDeepEqual(await draw('wa\ufb04e'), letters);
  assert.deepEqual(await draw('waffle'), letters);
});

test('PDF: letters that no font has in a figure → boxes that end where the figure says', async () => {
  const scene = createScene(400, 40, [
    label(200, 20, 'தமிழ்நாடு', { anchor: 'end' }),
    label(210, 20, 'beside'),
  ]);
  const read = await readPdf(await drawPdf(createDocument([{ kind: 'picture', scene }])));
  const boxes = new Map(read.pages[0]?.boxes.map((box) => [box.text, box]));
  const [name, beside] = [boxes.get('□'.repeat(9)), boxes.get('beside')];
  assert.ok(name !== undefined && beside !== undefined, read.text);
  assert.ok(name.right < beside.left);
});

test('PDF: a letter that only the regular face has → a box where the text is bold', async () => {
  const letter = '\u{1d5a0}';
  const blocks: PdfBlock[] = [
    { kind: 'heading', text: `bold ${letter}` },
    { kind: 'paragraph', text: `regular ${letter}` },
  ];
  const read = await readPdf(await drawPdf(createDocument(blocks)));
  assert.match(read.text, /bold □/);
  assert.match(read.text, /regular \u{1d5a0}/u);
});

const names: readonly (readonly [script: string, name: string])[] = [
  ['Chinese', '蛋白质抗体测定公司'],
  ['Japanese', '日本語タンパク質株式会社'],
  ['Korean', '한국 단백질 연구소'],
  ['Devanagari', 'प्रोटीन'],
  ['Thai', 'โปรตีน'],
  ['emoji', '🧬🔬'],
];

test('PDF: a name of each script, regular and bold → its letters from embedded fonts, and no box', async () => {
  const blocks = names.flatMap(([, name]): PdfBlock[] => [
    { kind: 'heading', text: name },
    { kind: 'paragraph', text: `Name: ${name}, 12 units` },
  ]);
  const bytes = await drawPdf(createDocument(blocks));
  const { text } = await readPdf(bytes);
  const letters = text.replaceAll(/\s/g, '');
  for (const [script, name] of names)
    assert.ok(letters.split(name.replaceAll(' ', '')).length > 2, `${script}: ${letters}`);
  assert.doesNotMatch(text, /□/);
  const faces = new Set(
    Buffer.from(bytes)
      .toString('latin1')
      .match(/Noto\w+-(regular|bold)/g),
  );
  for (const family of ['NotoSansSC', 'NotoSansJP', 'NotoSansThai', 'NotoSansDevanagari', 'NotoEmoji'])
    for (const face of ['regular', 'bold']) assert.ok(faces.has(`${family}-${face}`), `${family} ${face}`);
  assert.deepEqual(await drawPdf(createDocument(blocks)), bytes);
});

test('PDF: a line with text from right to left → its words stand in the order of reading from the right', async () => {
  const read = await readPdf(
    await drawPdf(createDocument([{ kind: 'paragraph', text: 'ab שלום (עולם) 12 cd' }])),
  );
  const place = (part: string) => {
    const found = read.pages[0]?.boxes.find((box) => box.text.includes(part));
    assert.ok(
      found !== undefined,
      `${part}: ${JSON.stringify(read.pages[0]?.boxes.map(({ text }) => text))}`,
    );
    return found.left;
  };
  const [ab, hebrew, digits, cd] = ['ab', 'שלום', '12', 'cd'].map(place);
  assert.ok(ab !== undefined && hebrew !== undefined && digits !== undefined && cd !== undefined);
  assert.ok(ab < digits && digits < hebrew && hebrew < cd, [ab, hebrew, digits, cd].join(' '));
});

test('PDF: Arabic beside Hebrew in one line → its letters are joined as they are alone', async () => {
  const word = 'شركة';
  const blocks = [word, `חברת ${word}`].map((text): PdfBlock => ({ kind: 'paragraph', text }));
  const { pages } = await readPdf(await drawPdf(createDocument(blocks)));
  const widths = (pages[0]?.boxes ?? [])
    .filter(({ text }) => text === word)
    .map(({ left, right }) => (right - left).toFixed(3));
  assert.equal(widths.length, 2, JSON.stringify(pages[0]?.boxes));
  assert.equal(widths[1], widths[0]);
});

test('PDF: an override of the direction, a lone surrogate, characters without width → the letters stay as written', async () => {
  const text = 'a\u202egp.exe\u202c b\ud800c d\u200be f\u200dg';
  const read = await readPdf(await drawPdf(createDocument([{ kind: 'paragraph', text }])));
  assert.match(read.text, /a gp\.exe b\ufffdc d e fg/);
});

test('PDF: a table of 500 rows → every page has the table head and its number', async () => {
  for (const paper of ['a4', 'letter'] as const) {
    const read = await readPdf(await drawPdf(createDocument([masthead, createTable(500)], paper)));
    const count = read.pages.length;
    assert.ok(count > 10);
    for (const [index, page] of read.pages.entries()) {
      const texts = new Set(page.boxes.map((box) => box.text));
      assert.ok(texts.has('Description'), `page ${index + 1} has no head`);
      assert.ok(texts.has(`Page ${index + 1} of ${count}`));
    }
    assert.equal(read.text.match(/Assay of design \d+/g)?.length, 500);
    assert.deepEqual(findMisplaced(read), []);
    assert.equal(Math.round(read.pages[0]?.width ?? 0), paper === 'a4' ? 595 : 612);
  }
});

const listWords = (read: Awaited<ReturnType<typeof readPdf>>, page: number) =>
  read.pages[page]?.boxes.map((box) => box.text) ?? [];

test('PDF: an address of more lines than a page has → one after another, and all on the page', async () => {
  const lines = ['Client', ...Array.from({ length: 300 }, (_, line) => `L${line}`)];
  const parties: PdfBlock = { kind: 'parties', label: 'For', lines, facts: [] };
  const read = await readPdf(await drawPdf(createDocument([masthead, parties])));
  const written = listWords(read, 0).join(' ');
  assert.match(written, /L0, L1, .*L298, L299/);
  assert.deepEqual([findMisplaced(read), read.pages.length], [[], 1]);
});

test('PDF: a footer wider than the page → as many words as fit, with a sign that more follow', async () => {
  const footer = 'Quote Q-2026-00001 · Laboratory of a long name '.repeat(6).trim();
  const read = await readPdf(await drawPdf({ ...createDocument([masthead]), footer }));
  const line = listWords(read, 0).find((text) => text.startsWith('Quote Q-2026-00001 ·'));
  assert.ok(line?.endsWith(' …') && footer.startsWith(line.slice(0, -2)), line);
  assert.deepEqual(findMisplaced(read), []);
});

test('PDF: a heading and the facts below it → on one page, wherever the page ends', async () => {
  const facts: PdfBlock = {
    kind: 'facts',
    facts: [{ label: 'Bank transfer', value: 'IBAN\nBIC\nBank\nStreet\nCity' }],
  };
  for (let lines = 40; lines < 60; lines += 1) {
    const filler: PdfBlock = { kind: 'paragraph', text: Array.from({ length: lines }, () => 'x').join('\n') };
    const blocks: PdfBlock[] = [filler, { kind: 'heading', text: 'How to pay' }, facts];
    const read = await readPdf(await drawPdf(createDocument(blocks)));
    const page = read.pages.findIndex(({ boxes }) => boxes.some(({ text }) => text === 'How to pay'));
    assert.ok(listWords(read, page).includes('Street'), `${lines} lines above`);
  }
});

test('PDF: a heading, its paragraphs and the following figure → on one page', async () => {
  const scene = createScene(800, 600, [label(24, 300, 'Drawn')]);
  const lead: PdfBlock[] = [
    { kind: 'heading', text: 'Curves' },
    { kind: 'paragraph', text: 'What to look at.' },
    { kind: 'paragraph', text: 'And where.' },
    { kind: 'picture', scene },
  ];
  for (const count of [5, 12, 20, 24, 28]) {
    const read = await readPdf(await drawPdf(createDocument([masthead, createTable(count), ...lead])));
    const page = read.pages.findIndex((_, index) => listWords(read, index).includes('Curves'));
    for (const each of ['What to look at.', 'And where.', 'Drawn'])
      assert.ok(listWords(read, page).includes(each), `${each} after ${count} rows`);
  }
});

test('PDF: tables of 20 to 60 rows → the last row is never alone on a page', async () => {
  for (let count = 20; count <= 60; count += 1) {
    const read = await readPdf(await drawPdf(createDocument([masthead, createTable(count)])));
    const last = listWords(read, read.pages.length - 1).filter((each) => each.startsWith('Assay of design'));
    assert.ok(last.length >= 2, `${count} rows leave ${last.length}`);
  }
});

test('PDF: two columns that grow, one with long words → each word stays whole where both have room', async () => {
  const many = ['Outcome', 'Highest conc.', 'Response', 'Threshold', 'KD excluded', 'Passed'];
  const table: PdfBlock = {
    kind: 'table',
    columns: [
      { title: 'Sequence', align: 'left', grows: true },
      ...many.map((title) => ({ title, align: 'right' }) as const),
      { title: 'Remarks', align: 'left', grows: true },
    ],
    rows: ['Panitumumab_Fv_dimer', 'Cetuximab_Fv_dimer'].map((name) => [
      name,
      ...many,
      'near the threshold of the plate',
    ]),
  };
  const read = await readPdf(await drawPdf(createDocument([table])));
  for (const name of ['Panitumumab_Fv_dimer', 'Cetuximab_Fv_dimer'])
    assert.ok(listWords(read, 0).includes(name), name);
  assert.deepEqual(findMisplaced(read), []);
});

test('PDF: a long name → breaks after a joining mark where there is one', async () => {
  const name = 'round3_clone-0117_H3-graft_affinity-matured_version-two_of_the_second_library';
  const cells = [name, '1', '$207.00'];
  const narrow = [
    columns[0],
    { ...columns[1], title: 'Q'.repeat(60) },
    { ...columns[2], title: 'A'.repeat(60) },
  ];
  const read = await readPdf(
    await drawPdf(createDocument([{ kind: 'table', columns: narrow, rows: [cells] }])),
  );
  const parts = listWords(read, 0).filter((each) => name.includes(each) && each.length > 1);
  assert.ok(parts.length > 1, JSON.stringify(parts));
  assert.equal(parts.join(''), name);
  for (const part of parts.slice(0, -1)) assert.match(part, /[-_]$/);
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom(
    LONG_WORD,
    '',
    ' ',
    'a\nb\n\nc',
    'Ωμέγα · Ёлка · שלום (12) עולם',
    'قطعة ١٢ (clone 7) نهاية',
    ...names.map(([, name]) => name),
    '\u0000\u202e\u200b',
    '$9,999,999,999.99',
  ),
);
const facts = fc.array(fc.record({ label: text, value: text }), { maxLength: 4 });
const block: fc.Arbitrary<PdfBlock> = fc.oneof(
  fc.record({
    kind: fc.constant('masthead' as const),
    issuer: text,
    issuerLines: fc.array(text, { maxLength: 4 }),
    title: fc.constantFrom('Invoice', 'Credit note'),
    subtitle: text,
    stamp: fc.constant({ text: 'PAID 2 March 2026', tone: 'good' as const }),
  }),
  fc.record({ kind: fc.constant('heading' as const), text }),
  fc.record({
    kind: fc.constant('paragraph' as const),
    text: fc.oneof(text, fc.constant('Prices are in US dollars. '.repeat(400))),
    muted: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('notice' as const), text, tone: fc.constantFrom('plain', 'attention') }),
  fc.record({
    kind: fc.constant('parties' as const),
    label: fc.constant('BILLED TO'),
    lines: fc.array(text, { maxLength: 4 }),
    facts,
  }),
  fc.record({ kind: fc.constant('facts' as const), facts }),
  fc.record({
    kind: fc.constant('table' as const),
    columns: fc.constant(columns),
    rows: fc.array(fc.tuple(text, text, text), { maxLength: 20 }),
  }),
  fc.record({
    kind: fc.constant('sums' as const),
    rows: fc.array(fc.record({ label: text, value: fc.constantFrom('$0.00', '$9,999,999,999.99') }), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
);

const RANDOM_DOCUMENTS = Number(process.env['ASSAYER_RANDOM_DOCUMENTS'] ?? '15');

test('PDF: random documents → no two texts overlap and none leaves the page', async () => {
  const documents = fc.tuple(
    fc.array(block, { maxLength: 8 }),
    fc.constantFrom('a4' as const, 'letter' as const),
  );
  await fc.assert(
    fc.asyncProperty(documents, async ([blocks, paper]) => {
      const read = await readPdf(await drawPdf(createDocument(blocks, paper)));
      assert.deepEqual(findMisplaced(read), []);
    }),
    { numRuns: RANDOM_DOCUMENTS, interruptAfterTimeLimit: 60_000, endOnFailure: true },
  );
});
