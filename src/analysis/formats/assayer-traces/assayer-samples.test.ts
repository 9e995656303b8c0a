import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatError } from '../../failures/errors.ts';
import { createPlateControls, createSeries, synthesize, toFile } from '#testing/analysis/synthetic.ts';
import { parseAssayerTraces } from './assayer-traces.ts';

const FILE = synthesize({
  noiseSd: 0.004,
  traces: [
    ...createPlateControls(),
    ...createSeries({ role: 'sample', sample: 'a', kinetics: { kon: 1e5, koff: 1e-3 } }),
  ],
});
const TEXT = Buffer.from(FILE.bytes).toString();
const HEADER = 'trace,step,time_s,signal\n';
const [HEAD, SAMPLES] = TEXT.split(HEADER);

function parseSamples(samples: string) {
  return parseAssayerTraces(toFile('p.csv', `${HEAD}${HEADER}${samples}`));
}

test('assayer-traces: samples with or without quotes, with any line end → read alike', () => {
  const plain = parseSamples(SAMPLES);
  assert.ok(
    plain.traces.length > 20 && plain.traces.every(({ steps }) => steps.length === 4 || steps.length === 5),
  );
  const lines = SAMPLES.split('\n');
  const quoted = lines.map((line, i) => (i % 3 === 1 ? line.replace(/^([^,]+)/, '"$1"') : line)).join('\n');
  assert.deepEqual(parseSamples(quoted), plain);
  assert.deepEqual(parseSamples(SAMPLES.replaceAll('\n', '\r\n')), plain);
  const exponents = lines.map((line, i) => (i % 2 === 1 && line !== '' ? `${line}e0` : line)).join('\n');
  assert.deepEqual(parseSamples(exponents), plain);
  for (const line of [lines[0], lines[1], lines[500]]) {
    const [, step, time, signal] = line.split(',');
    const { steps } = plain.traces[0];
    const found = steps.flatMap(({ step: name, timeS, signal: values }) => {
      const at = timeS.indexOf(Number(time));
      return at === -1 ? [] : [`${name} ${values[at]}`];
    });
    assert.ok(found.includes(`${step} ${Number(signal)}`), line);
  }
});

test('assayer-traces: a fault in the middle of a step → refused with its line', () => {
  const lines = SAMPLES.split('\n');
  const first = `${HEAD}${HEADER}`.split('\n').length;
  const [id, step, time] = lines[40].split(',');
  const faults: [string, RegExp][] = [
    [`${id},${step},${Number(time) - 2},0.1`, /a time after/],
    [`${id},${step},${Number(time) - 1},0.1`, /a time after/],
    [`${id},${step},${time},0.1.2`, /a signal, a finite number/],
    [`${id},${step},${time},`, /a signal, a finite number/],
    [`${id},${step},${time},Infinity`, /a signal, a finite number/],
    [`${id},${step},1 ,0.1`, /a time in s, a finite number/],
    [`${id},${step},${time}`, /4 fields/],
    [`${id},${step},${time},0.1,0.2`, /4 fields/],
    [`${id},${step}x,${time},0.1`, /a step/],
    [`${id}x,${step},${time},0.1`, /a trace of the table/],
    ['', /4 fields/],
  ];
  for (const [line, message] of faults) {
    const damaged = lines.with(40, line).join('\n');
    assert.throws(
      () => parseSamples(damaged),
      (error) => error instanceof FormatError && error.line === first + 40 && message.test(error.message),
      line,
    );
  }
});
