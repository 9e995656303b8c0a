import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResult } from '#testing/hard-binding.ts';
import fc from '#testing/properties.ts';
import type { Outcome } from '#features/results/contract.ts';
import type { Sensorgram as Curve } from '#features/results/curves.ts';
import {
  writeLinePath,
  computeNoiseSpan,
  createResidualAxis,
  createSignalAxis,
  tickText,
  createTimeAxis,
} from '#documents/figures/scale.ts';
import { fitText, computeTextWidth, wrapText } from '#documents/figures/width.ts';
import { drawResult } from '../shown.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { escapeXml, writeSvg } from '#documents/svg.ts';

const writeSensorgramSvg = (result: ResultCurves): string => writeSvg(drawResult(result));

const KON_PER_M_S = 2e5;
const KOFF_PER_S = 1.9e-3;
const ASSOCIATION_S = 300;

/** 1:1 binding with a ripple as noise. */
function createCurve(replicate: number, concentrationM: number | null, points = 900): Curve {
  const concentration = concentrationM ?? 1e-8;
  const rate = KON_PER_M_S * concentration + KOFF_PER_S;
  const time = Array.from({ length: points }, (_, index) => (index * 900) / points);
  const fit = time.map((t) => {
    const bound = ((KON_PER_M_S * concentration) / rate) * (1 - Math.exp(-rate * Math.min(t, ASSOCIATION_S)));
    return bound * Math.exp(-KOFF_PER_S * Math.max(0, t - ASSOCIATION_S));
  });
  const residual = time.map((_, index) => 0.004 * Math.sin(index * 12.9898 + replicate));
  return {
    kind: 'sensorgram',
    replicate,
    concentration_m: concentrationM,
    time_s: time,
    signal: fit.map((value, index) => value + (residual[index] ?? 0)),
    fit,
    residual,
    association_start_s: 0,
    dissociation_start_s: ASSOCIATION_S,
  };
}

function createCurves(replicates: number, concentrations: number): Curve[] {
  return Array.from({ length: replicates * concentrations }, (_, index) =>
    createCurve(1 + Math.floor(index / concentrations), 1e-7 / 2 ** (index % concentrations)),
  );
}

const kd = { value: 9e-9, unit: 'M', relation: '=', ci95_low: 8.1e-9, ci95_high: 1e-8 };

const createMeasured = (changes: Partial<ResultCurves> = {}): ResultCurves =>
  createResult('affinity', { quantities: { kd }, curves: createCurves(3, 5), ...changes });

/** Well-formedness of the XML subset in use: elements, quoted attributes, character data, the five entities. */
function assertWellFormed(xml: string): void {
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  assert.ok(xml.isWellFormed());
  const open: string[] = [];
  const token =
    /<(?<close>\/?)(?<name>[a-z]+)(?<attributes>(?:\s[a-zA-Z-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gy;
  let end = 0;
  let roots = 0;
  for (let match = token.exec(xml); match !== null; match = token.exec(xml)) {
    end = token.lastIndex;
    const { close, name = '', attributes = '', empty, text = '' } = match.groups ?? {};
    assert.doesNotMatch(`${attributes}${text}`, /&(?!(?:amp|lt|gt|quot|#39);)/);
    const names = [...attributes.matchAll(/\s([a-zA-Z-]+)=/g)].map((each) => each[1]);
    assert.equal(new Set(names).size, names.length, `attributes given twice: ${attributes}`);
    if (name === '') {
      if (open.length === 0) assert.equal(text.trim(), '');
    } else if (close === '/') {
      assert.equal(open.pop(), name);
    } else {
      if (open.length === 0) roots += 1;
      if (empty !== '/') open.push(name);
    }
  }
  assert.equal(end, xml.length, `not XML from: ${xml.slice(end, end + 60)}`);
  assert.deepEqual({ open, roots }, { open: [], roots: 1 });
}

/** Returns the texts of the figure, in drawing order. */
function listTexts(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map((match) => match[1] ?? '');
}

function countMatches(svg: string, pattern: RegExp): number {
  return [...svg.matchAll(pattern)].length;
}

test('sensorgram: three replicates → one panel each in order, with traces, fits, residuals and phases', () => {
  const svg = writeSensorgramSvg(createMeasured({ curves: createCurves(3, 5).toReversed() }));
  assertWellFormed(svg);
  const said = listTexts(svg);
  assert.deepEqual(
    said.filter((each) => each.startsWith('Replicate')),
    ['Replicate 1', 'Replicate 2', 'Replicate 3'],
  );
  assert.equal(said.filter((each) => each === 'assoc.').length, 3);
  assert.equal(said.filter((each) => each === 'dissoc.').length, 3);
  assert.equal(said.filter((each) => each === 'Time (s)').length, 3);
  assert.equal(said.filter((each) => each === 'Signal (nm)').length, 1);
  assert.equal(said.filter((each) => each === 'Residual (nm)').length, 1);
  assert.equal(
    countMatches(svg, /<path d="[^"]*" class="s-c\d+"[^>]* stroke-width="3.2" stroke-linejoin/g),
    15,
  );
  assert.equal(countMatches(svg, /<path d="[^"]*" class="s-c\d+"[^>]* stroke-opacity="0.85"/g), 15);
  assert.equal(countMatches(svg, /<path d="[^"]*" class="s-fit"[^>]* stroke-linejoin/g), 15);
});

test('sensorgram: one curve up to five replicates of twelve → well-formed, and the key names each concentration once', () => {
  for (const [replicates, concentrations] of [
    [1, 1],
    [1, 12],
    [2, 7],
    [4, 5],
    [5, 12],
  ] as const) {
    const svg = writeSensorgramSvg(createMeasured({ curves: createCurves(replicates, concentrations) }));
    assertWellFormed(svg);
    const named = listTexts(svg).filter((each) => /^[\d.]+ [nµp]M$/.test(each));
    assert.equal(named.length, concentrations, 'the key names each concentration once');
    assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/);
  }
});

test('sensorgram: single-cycle kinetics → each injection is named, and the key has their range', () => {
  const injections = [1e-9, 3e-9, 9e-9].map((dose, index) => ({
    start_s: index * 180,
    end_s: index * 180 + 120,
    concentration_m: dose,
  }));
  const cycle = { ...createCurve(1, 9e-9), dissociation_start_s: 480 };
  const single = listTexts(writeSensorgramSvg(createMeasured({ curves: [{ ...cycle, injections }] })));
  for (const name of ['1 nM', '3 nM', '9 nM', '1 nM to 9 nM'])
    assert.ok(single.includes(name), `${name} is missing`);
  assert.ok(single.some((text) => text.includes('3 injections 0–480 s')));
  assert.ok(!single.includes('association'));
  const plain = listTexts(writeSensorgramSvg(createMeasured({ curves: [cycle] })));
  assert.ok(plain.includes('association') && plain.includes('9 nM') && !plain.includes('3 nM'));
});

test('sensorgram: the SVG alone → runs and loads nothing, and has both themes and print', () => {
  const svg = writeSensorgramSvg(createMeasured());
  assert.doesNotMatch(svg, /<script|\son[a-z]+=|href|url\(|@import|<image|<foreignObject/i);
  assert.deepEqual(svg.match(/https?:[^"]*/g), ['http://www.w3.org/2000/svg']);
  assert.match(svg, /@media screen and \(prefers-color-scheme:dark\)/);
  assert.match(svg, /<rect width="100%" height="100%" class="f-paper" fill="#ffffff"\/>/);
});

test('sensorgram: the same result twice → the same bytes, and the input is unchanged', () => {
  const result = createMeasured();
  const before = structuredClone(result);
  assert.equal(writeSensorgramSvg(result), writeSensorgramSvg(structuredClone(result)));
  assert.deepEqual(result, before);
});

test('sensorgram: accessibility → a role, a title and a summary in words', () => {
  const svg = writeSensorgramSvg(createMeasured({ flags: ['WINDOW_DEPENDENT'] }));
  assert.match(svg, /^<svg [^>]*role="img" aria-label="Affinity of design-1 to EGFR"/);
  assert.match(svg, /<title>Affinity of design-1 to EGFR<\/title>/);
  assert.equal(
    /<desc>(.*)<\/desc>/.exec(svg)?.[1],
    'Sensorgrams of design-1 against EGFR, experiment DEMO-001-001: three replicates, ' +
      'five concentrations (6.25 nM to 100 nM), with fits and residuals; ' +
      'KD = 9.0 nM (95% CI 8.1–10.0), flag: window dependent.',
  );
});

test('escaping: hostile names → text and nothing else', () => {
  const hostile = `</title><img src=x onerror="alert(1)"> & 'x' ]]> \u0000\u0008\ud800\uffff \u202eevil`;
  const svg = writeSensorgramSvg(
    createMeasured({
      title: hostile,
      sequence_name: hostile,
      target_name: hostile,
      experiment_code: hostile,
      signal_unit: hostile,
      flags: [hostile],
    }),
  );
  assertWellFormed(svg);
  assert.doesNotMatch(svg, /<img|\u202e/);
  assert.match(svg, /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; &#39;x&#39;/);
});

test('escaping: any text → a well-formed SVG', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 200 });
  fc.assert(
    fc.property(anything, anything, (title, unit) => {
      const one = [createCurve(1, 1e-8, 20)];
      assertWellFormed(
        writeSensorgramSvg(createMeasured({ title, signal_unit: unit, flags: [title], curves: one })),
      );
    }),
    { numRuns: 60, seed: 7 },
  );
  assert.equal(escapeXml('a\n\tb'), 'a b');
});

test('sensorgram: any outcome, with and without curves → the subtitle names it', () => {
  const expected = {
    measured: 'KD = 9.0 nM (95% CI 8.1–10.0)',
    non_binder: 'No binding detected',
    inconclusive: 'Inconclusive: binding neither shown nor excluded',
    not_expressed: 'Not expressed',
    failed_qc: 'Failed QC',
    not_tested: 'Not tested',
  } as const satisfies Record<Outcome, string>;
  const keys: Outcome[] = [
    'measured',
    'non_binder',
    'inconclusive',
    'not_expressed',
    'failed_qc',
    'not_tested',
  ];
  assert.deepEqual(Object.keys(expected), keys);
  for (const outcome of keys) {
    for (const some of [[], createCurves(1, 2)]) {
      const svg = writeSensorgramSvg(createMeasured({ outcome, curves: some }));
      assertWellFormed(svg);
      assert.equal(listTexts(svg)[1]?.replaceAll('&gt;', '>'), expected[outcome]);
    }
  }
  const limit = { kd: { value: 1e-5, relation: '>' } };
  assert.equal(
    listTexts(writeSensorgramSvg(createMeasured({ outcome: 'non_binder', quantities: limit })))[1],
    'No binding detected, KD &gt; 10 µM',
  );
  assert.equal(
    listTexts(writeSensorgramSvg(createMeasured({ quantities: {} })))[1],
    'Measured, no KD determined',
  );
});

test('sensorgram: no curves → a sentence instead of panels', () => {
  const svg = writeSensorgramSvg(createMeasured({ outcome: 'not_expressed', quantities: {}, curves: [] }));
  assert.ok(listTexts(svg).includes('The protein was not expressed, so there are no sensorgrams.'));
  assert.ok(!listTexts(svg).includes('Time (s)'));
  assert.match(svg, /<desc>design-1 against EGFR, experiment DEMO-001-001: not expressed\. The protein/);
  const pointless = { ...createCurve(1, 1e-8), time_s: [], signal: [], fit: null, residual: null };
  assert.ok(
    listTexts(writeSensorgramSvg(createMeasured({ curves: [pointless] }))).includes(
      'No sensorgrams are stored for this result.',
    ),
  );
});

test('sensorgram: no fit → traces without residuals; a fit without residuals → they are computed', () => {
  const bare = writeSensorgramSvg(
    createMeasured({ curves: [{ ...createCurve(1, 1e-8), fit: null, residual: null }] }),
  );
  assertWellFormed(bare);
  assert.ok(!listTexts(bare).some((each) => each.startsWith('Residual') || each.startsWith('fit')));
  assert.match(bare, /without a fit/);
  const computed = writeSensorgramSvg(
    createMeasured({ curves: [{ ...createCurve(1, 1e-8), residual: null }] }),
  );
  assert.equal(computed, writeSensorgramSvg(createMeasured({ curves: [createCurve(1, 1e-8)] })));
});

test('sensorgram: gaps, constants, single points, unknown concentrations, shifted phases → well-formed without NaN', () => {
  const gap = createCurve(1, 1e-8);
  gap.signal[0] = Number.NaN;
  gap.time_s[500] = Number.NaN;
  gap.signal[899] = Infinity;
  const flat = {
    ...createCurve(1, 1e-9),
    signal: Array.from({ length: 900 }, () => 0),
    fit: null,
    residual: null,
  };
  const single = { ...createCurve(2, 1e-9, 1), fit: null, residual: null };
  const shifted = { ...createCurve(3, 1e-9), association_start_s: 100, dissociation_start_s: 400 };
  const svg = writeSensorgramSvg(
    createMeasured({ curves: [gap, flat, single, createCurve(3, null), shifted] }),
  );
  assertWellFormed(svg);
  assert.doesNotMatch(svg, /NaN|Infinity/);
  assert.ok(listTexts(svg).includes('unknown'));
  assert.equal(listTexts(svg).filter((each) => each === 'assoc.').length, 2);
  assertWellFormed(writeSensorgramSvg(createMeasured({ curves: [flat] })));
  assertWellFormed(writeSensorgramSvg(createMeasured({ curves: [single] })));
});

test('sensorgram: a spike in the residuals → cut at the edge, and the key says so', () => {
  const spiked = createCurve(1, 1e-8);
  spiked.residual = (spiked.residual ?? []).map((value, index) => (index === 40 ? 1 : value));
  const svg = writeSensorgramSvg(createMeasured({ curves: [spiked] }));
  const said = listTexts(svg);
  const [, drawn = ''] = /<path d="([^"]*)" [^>]*stroke-opacity/.exec(svg) ?? [];
  const steps = [...drawn.matchAll(/l-?[\d.]+ (-?[\d.]+)/g)].map((match) => Math.abs(Number(match[1])));
  assert.ok(steps.length > 100 && Math.max(...steps) < 80, 'inside a residual plot of 78 pixels');
  assert.match(said.join(' '), /spikes cut at the edge/);
  assert.ok((createResidualAxis([spiked.residual])?.high ?? 1) < 0.02);
  assert.equal(createResidualAxis([]), null);
});

test('thinning: 20,000 points → no line has more than 400 steps', () => {
  const svg = writeSensorgramSvg(createMeasured({ curves: [createCurve(1, 1e-8, 20_000)] }));
  for (const [, d = ''] of svg.matchAll(/ d="([^"]*)"/g)) assert.ok(countMatches(d, /l/g) <= 400);
});

test('paths: relative steps of 300 points → end where the points do', () => {
  const points = Array.from({ length: 300 }, (_, index) => ({
    x: index * 0.37,
    y: 50 + 20 * Math.sin(index),
  }));
  let x = 0;
  let y = 0;
  for (const [, dx, dy] of writeLinePath(points).matchAll(/[Ml](-?[\d.]+) (-?[\d.]+)/g)) {
    x += Number(dx);
    y += Number(dy);
  }
  assert.ok(Math.abs(x - (points.at(-1)?.x ?? 0)) < 0.06 && Math.abs(y - (points.at(-1)?.y ?? 0)) < 0.06);
});

test('axes: any range → round ticks', () => {
  assert.deepEqual(createTimeAxis({ low: -40, high: 899 }, 4).ticks, [0, 300, 600, 900]);
  assert.deepEqual(createSignalAxis({ low: -0.02, high: 2.6 }, 6).ticks, [0, 0.5, 1, 1.5, 2, 2.5, 3]);
  assert.deepEqual(createSignalAxis({ low: -70, high: 110 }, 6).ticks, [-100, -50, 0, 50, 100, 150]);
  assert.equal(tickText(-0.05, 2), '−0.05');
  assert.equal(tickText(-0.001, 2), '0.00');
  const noise = Array.from({ length: 900 }, (_, index) => 0.01 * Math.sin(index * index));
  assert.ok(computeNoiseSpan([noise]) > 0.2);
  assert.ok(computeNoiseSpan([createCurve(1, 1e-7).fit ?? []]) < 0.01);
  assert.equal(computeNoiseSpan([]), 0);
});

test('text wrapping: a long text → lines fit their width', () => {
  const long = `${'word '.repeat(60)}${'x'.repeat(300)}`;
  const lines = wrapText(long, { size: 12, width: 300, lines: 3 });
  assert.equal(lines.length, 3);
  assert.ok(lines.every((line) => computeTextWidth(line, 12) <= 300));
  assert.ok(lines.at(-1)?.endsWith('…'));
  assert.ok(computeTextWidth(fitText('y'.repeat(500), 12, 100), 12) <= 100);
});

test('sensorgram: a screening result → the subtitle says binder or not, with response and threshold', () => {
  const summary = { call: 'binder', response: 2.7666, threshold: 0.0273 };
  const svg = writeSensorgramSvg(createMeasured({ experiment_type: 'screening', quantities: {}, summary }));
  assert.equal(listTexts(svg)[1], 'Binder; response 2.77, threshold 0.0273 nm');
});
