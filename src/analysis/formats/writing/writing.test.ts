/** What is written in our own formats reads back as it was, from every format that is read. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { readSample } from '#testing/analysis/uploads.ts';
import { parseAssayerTraces } from '../assayer-traces/assayer-traces.ts';
import type { Trace, TraceStep } from '../../curves/trace.ts';
import { parseWellFiles } from '../parse-wells.ts';
import { parseTraces } from '../parse.ts';
import { FORMATS } from '../registry.ts';
import { writeAssayerMelts, writeAssayerPlate } from './write-wells.ts';
import { writeAssayerTraces } from './write-traces.ts';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const readSamples = (id: string) => readdirSync(`${FOLDER}${id}/sample`).map((name) => readSample(id, name));

const describeStep = ({ step, startS, timeS, signal, concentrationM }: TraceStep) => ({
  step,
  startS,
  timeS: [...timeS],
  signal: [...signal],
  concentrationM: concentrationM ?? null,
});
const describeTrace = ({ steps, role, replicate, concentrationM }: Trace) => ({
  role,
  replicate,
  concentrationM,
  steps: steps.map(describeStep),
});

test('assayer-traces: traces of every format are written → the same steps, times and signals are read', () => {
  for (const { id, kind } of FORMATS) {
    if (kind !== 'traces') continue;
    for (const set of parseTraces(readSamples(id))) {
      const traces = set.traces.map((trace, index) => ({ ...trace, id: `T${index}`, sample: `s${index}` }));
      const read = parseAssayerTraces({ name: 'w.csv', bytes: writeAssayerTraces({ ...set, traces }) });
      for (const trace of traces) {
        const again = read.traces.find((each) => each.id === trace.id);
        assert.ok(again !== undefined, id);
        assert.deepEqual(describeTrace(again), describeTrace(trace), id);
      }
    }
  }
});

test('assayer-traces: two steps of one name, a start before the first sample → both are kept', () => {
  const createStep = (startS: number, times: readonly number[]): TraceStep => ({
    step: 'baseline',
    startS,
    timeS: Float64Array.from(times),
    signal: Float64Array.from(times, (time) => time / 10),
  });
  const steps = [createStep(0, [0.5, 1, 2]), createStep(2, [2, 3])];
  const trace: Trace = {
    id: 'A1',
    well: 'A1',
    role: 'sample',
    sample: 'a, "quoted" name',
    replicate: 1,
    concentrationM: 1e-9,
    steps,
  };
  const set = {
    format: 'any',
    technique: 'bli' as const,
    signalUnit: 'nm',
    instrument: null,
    plate: null,
    metadata: { standard_mass_da: '27000', experiment: 'ONE-001-001' },
    notices: [],
  };
  const read = parseAssayerTraces({
    name: 'w.csv',
    bytes: writeAssayerTraces({ ...set, traces: [trace] }),
  });
  assert.deepEqual(read.traces.map(describeTrace), [describeTrace(trace)]);
  assert.equal(read.traces[0]?.sample, trace.sample);
  assert.deepEqual(read.metadata, { standard_mass_da: '27000' });
});

test('assayer-melts, assayer-plate: wells of every format are written → the same curves and values are read', () => {
  for (const { id, kind } of FORMATS) {
    if (kind !== 'melts' && kind !== 'values') continue;
    const { melts, plates } = parseWellFiles(readSamples(id));
    for (const set of melts) {
      const read = parseWellFiles([{ name: 'w.csv', bytes: writeAssayerMelts(set) }]).melts[0];
      assert.deepEqual(read?.traces, set.traces, id);
    }
    for (const set of plates) {
      const read = parseWellFiles([{ name: 'w.csv', bytes: writeAssayerPlate(set) }]).plates[0];
      assert.deepEqual(read?.readings, set.readings, id);
    }
  }
});
