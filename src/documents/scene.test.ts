/** One scene, two renderers: the PDF contains everything that the SVG shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import fc from '#testing/properties.ts';
import { readPdf } from '#testing/pdf.ts';
import { getColor, getSeriesColor } from './colors.ts';
import { drawPdf } from './pdf/draw.ts';
import {
  drawCircle,
  fill,
  group,
  drawPath,
  drawRect,
  createStroke,
  drawText,
  type Mark,
  type Scene,
} from './scene.ts';
import { writeSvg } from './svg.ts';

function createScene(marks: readonly Mark[], title = 'A figure'): Scene {
  const series = [getSeriesColor(0, 1)];
  return { width: 400, height: 300, title, description: 'What it shows', series, marks };
}

async function createPdf(scene: Scene): Promise<Uint8Array> {
  return drawPdf({
    title: 'Scene',
    author: 'Example Protein Lab',
    subject: 'Scene',
    language: 'en',
    paper: 'a4',
    createdAt: '2026-03-02T09:00:00.000Z',
    footer: '',
    blocks: [{ kind: 'picture', scene }],
  });
}

/** Returns the drawing operators of all pages. */
function readOperators(pdf: Uint8Array): string {
  const raw = Buffer.from(pdf);
  const found: string[] = [];
  for (let from = raw.indexOf('stream\n'); from >= 0; from = raw.indexOf('stream\n', from + 1)) {
    const start = from + 'stream\n'.length;
    const end = raw.indexOf('\nendstream', start);
    // 0x78 opens a deflated stream, which holds a font or operators; only operators are read.
    if (raw[start] === 0x78 && end > start)
      found.push(inflateSync(raw.subarray(start, end)).toString('latin1'));
  }
  return found.join('\n');
}

test('scene: a dashed line → dashed in the SVG and in the PDF', async () => {
  const scene = createScene([
    drawPath('M10 10v200', createStroke(getColor('ink'), 1.6, { dash: [8, 3, 2, 3] })),
  ]);
  assert.match(writeSvg(scene), /<path d="M10 10v200" [^>]*stroke-dasharray="8 3 2 3"\/>/);
  assert.match(readOperators(await createPdf(scene)), /\[8 3 2 3\] 0 d/);
});

test('scene: XML characters in a name → the same letters in the SVG and in the PDF', async () => {
  const name = `5'-cap "A" <b> & C`;
  const scene = createScene([drawText(20, 40, name)], name);
  assert.match(writeSvg(scene), />5&#39;-cap &quot;A&quot; &lt;b&gt; &amp; C<\/text>/);
  const pdf = await createPdf(scene);
  const read = await readPdf(pdf);
  assert.ok(
    read.pages[0]?.boxes.some((box) => box.text === name),
    read.text,
  );
  const spoken = Buffer.from(`${name}. What it shows`, 'latin1').toString('latin1');
  assert.ok(Buffer.from(pdf).toString('latin1').includes(spoken), 'the alternative text says the name');
});

const words = fc
  .stringMatching(/^[A-Za-z0-9'"<>& ]{1,20}$/)
  .filter((each) => each.trim() === each && !each.includes('  '));
const place = fc.integer({ min: 0, max: 3_000 }).map((tenths) => tenths / 10);
const paint = fc.constantFrom(
  fill(getColor('muted'), 0.4),
  createStroke(getColor('axis'), 1.2, { join: 'round', cap: 'round' }),
  { ...fill(getColor('paper')), ...createStroke(getSeriesColor(0, 1), 1, { strokeOpacity: 0.5 }) },
);
const shape = fc.oneof(
  fc.tuple(place, place, paint).map(([x, y, each]) => drawCircle(x, y, 3, each)),
  fc
    .tuple(place, place, paint)
    .map(([x, y, each]) => drawRect({ x, y, width: 20, height: 8 }, each, x > 100 ? 4 : 0)),
  fc.tuple(place, place, paint).map(([x, y, each]) => drawPath(`M${x} ${y}h20v4z`, each)),
);

test('scene: random shapes and texts → both renderers draw all in the same order', async () => {
  const scenes = fc.tuple(fc.array(shape, { maxLength: 6 }), fc.array(words, { minLength: 1, maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(scenes, async ([shapes, said]) => {
      const lines = said.map((each, index) => drawText(20, 20 + 20 * index, each));
      const scene = createScene([group(shapes), ...lines]);
      const pdf = await createPdf(scene);
      const read = await readPdf(pdf);
      assert.equal(read.text.replaceAll(/\s+/g, ' '), [...said, 'Page 1 of 1'].join(' '));
      const svg = writeSvg(scene);
      assert.equal(svg.match(/<(?:circle|path|rect) /g)?.length, shapes.length + 1);
      assert.equal(svg.match(/<text /g)?.length, said.length);
      // A fill, a stroke or both for each shape and for the paper, and the rule over the footer.
      const painted = readOperators(pdf).match(/^(?:f|S|B)$/gm)?.length;
      assert.equal(painted, shapes.length + 2);
    }),
    { numRuns: 30 },
  );
});
