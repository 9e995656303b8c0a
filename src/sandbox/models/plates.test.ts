import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundFraction, computeLoadingNm, STEPS } from './observation.ts';
import { listConcentrations, formatWellName } from './layout.ts';
import { simulatePlateFiles, simulatePlates } from './plates.ts';
import type { SimulatedPlate, SimulatedSequence, SimulationRequest } from './plates.ts';
import { createRandomSource } from './random.ts';
import { EXPRESSED_MIN_NG_PER_UL } from './truth.ts';

const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';

function createSequences(count: number): SimulatedSequence[] {
  const random = createRandomSource('plate test');
  return Array.from({ length: count }, (_, i) => ({
    id: `seq-${i + 1}`,
    name: `design-${i + 1}`,
    aaString: Array.from({ length: 120 }, () => LETTERS[Math.floor(random.drawUniform() * 20)]).join(''),
    isControl: false,
  }));
}

function createRequest(change: Partial<SimulationRequest> = {}): SimulationRequest {
  return {
    experimentCode: 'EXP-1',
    experimentType: 'affinity',
    method: 'bli',
    target: { id: 'target-1', name: 'EGFR' },
    sequences: createSequences(3),
    nReplicates: 2,
    ...change,
  };
}

interface Row {
  trace: string;
  well: string;
  role: string;
  sample: string;
  replicate: string;
  concentrationM: number;
}

interface File {
  header: string[];
  traces: Row[];
  samples: Map<string, { step: string; timeS: number; signal: number }[]>;
}

/** A reader that suffices for the files of these tests: no separators within fields. */
function read(plate: SimulatedPlate): File {
  const [header = '', traces = '', samples = ''] = new TextDecoder()
    .decode(plate.bytes)
    .trimEnd()
    .split('\n\n');
  const points: File['samples'] = new Map();
  for (const line of samples.split('\n').slice(1)) {
    const [trace = '', step = '', timeS, signal] = line.split(',');
    const list = points.get(trace) ?? [];
    list.push({ step, timeS: Number(timeS), signal: Number(signal) });
    points.set(trace, list);
  }
  const rows = traces.split('\n').slice(1);
  return {
    header: header.split('\n'),
    traces: rows.map((line) => {
      const [trace = '', well = '', role = '', sample = '', replicate = '', concentration] = line.split(',');
      return { trace, well, role, sample, replicate, concentrationM: Number(concentration) };
    }),
    samples: points,
  };
}

/** Returns the mean signal of a trace within a step, over its last `count` samples. */
function computeEnd(file: File, trace: string, step: string, count = 5): number {
  const signals = (file.samples.get(trace) ?? []).filter((point) => point.step === step).map((p) => p.signal);
  const last = signals.slice(-count);
  return last.reduce((sum, value) => sum + value, 0) / last.length;
}

function readFiles(change: Partial<SimulationRequest> = {}): File[] {
  return simulatePlates(createRequest(change)).plates.map(read);
}

/**
 * Returns the response of a trace minus that of the reference sensor at the same concentration, in the unit of the
 * file.
 */
function computeResponse(file: File, row: Row): number {
  const reference = file.traces.find(
    (each) => each.role === 'reference' && each.concentrationM === row.concentrationM,
  );
  assert.ok(reference !== undefined);
  const rise = (trace: string): number => {
    const before = (file.samples.get(trace) ?? []).filter((p) => p.step === 'baseline' && p.timeS >= 235);
    return (
      computeEnd(file, trace, 'association') - before.reduce((sum, p) => sum + p.signal, 0) / before.length
    );
  };
  return rise(row.trace) - rise(reference.trace);
}

describe('trace file', () => {
  it('simulated plates: the same request → the same bytes; another experiment code → others', () => {
    const [first] = simulatePlates(createRequest()).plates;
    const [again] = simulatePlates(createRequest()).plates;
    const [other] = simulatePlates(createRequest({ experimentCode: 'EXP-2' })).plates;
    assert.ok(first !== undefined && again !== undefined && other !== undefined);
    assert.deepEqual(Buffer.from(again.bytes), Buffer.from(first.bytes));
    assert.notDeepEqual(Buffer.from(other.bytes), Buffer.from(first.bytes));
  });

  it('simulated plates: a file → header, table of traces and samples of every step', () => {
    const [file] = readFiles();
    assert.ok(file !== undefined);
    assert.deepEqual(file.header.slice(0, 5), [
      '# assayer-traces: 1',
      '# technique: bli',
      '# instrument: Simulated BLI',
      '# signal_unit: nm',
      '# plate: P1',
    ]);
    assert.deepEqual(
      [...file.samples.keys()],
      file.traces.map((row) => row.trace),
    );
    for (const points of file.samples.values()) {
      const steps = points.map((point) => point.step).filter((step, i, all) => step !== all[i - 1]);
      assert.deepEqual(
        steps,
        STEPS.map((step) => step.name),
      );
      assert.ok(points.every((point, i) => i === 0 || point.timeS > (points[i - 1]?.timeS ?? 0)));
      assert.ok(points.every((point) => Number.isFinite(point.signal)));
      assert.equal(points.find((point) => point.step === 'association')?.timeS, 240);
      assert.equal(points.find((point) => point.step === 'dissociation')?.timeS, 540);
    }
  });

  it('simulated plates: a name with separators and quotes → one RFC 4180 field', () => {
    const [sequence] = createSequences(1);
    assert.ok(sequence !== undefined);
    const named = { ...sequence, name: 'my "best", one' };
    const [plate] = simulatePlates(createRequest({ sequences: [named], nReplicates: 1 })).plates;
    assert.ok(plate !== undefined);
    assert.match(new TextDecoder().decode(plate.bytes), /,sample,"my ""best"", one",1,/);
  });

  it('simulated plates: SPR → the same experiment in response units', () => {
    const [file] = readFiles({ method: 'spr', sequences: createSequences(1), nReplicates: 1 });
    assert.ok(file?.header.includes('# technique: spr') && file.header.includes('# signal_unit: RU'));
    assert.ok(computeEnd(file, 'T006', 'loading') > 50);
  });
});

describe('layout', () => {
  it('simulated plates: 20 sequences in 3 replicates → each replicate on one plate, at most 96 wells per plate', () => {
    const files = readFiles({ sequences: createSequences(20), nReplicates: 3 });
    assert.ok(files.length > 1);
    const seen = new Map<string, number[]>();
    files.forEach((file, plate) => {
      assert.ok(file.traces.length <= 96);
      assert.equal(new Set(file.traces.map((row) => row.well)).size, file.traces.length);
      for (const row of file.traces.filter((each) => each.role === 'sample')) {
        const key = `${row.sample}/${row.replicate}/P${plate}`;
        seen.set(key, [...(seen.get(key) ?? []), row.concentrationM]);
      }
    });
    assert.equal(seen.size, 60);
    for (const list of seen.values()) assert.deepEqual(list, [1e-6, 3.162e-7, 1e-7, 3.16e-8, 0]);
  });

  it('simulated plates: every plate → references for all concentrations, the positive control and eight negative ones', () => {
    for (const experimentType of ['affinity', 'screening'] as const) {
      for (const file of readFiles({ experimentType, sequences: createSequences(40), nReplicates: 1 })) {
        const count = (role: string, concentrationM: number): number =>
          file.traces.filter((row) => row.role === role && row.concentrationM === concentrationM).length;
        const series = new Set(file.traces.filter((r) => r.role === 'sample').map((r) => r.concentrationM));
        for (const concentrationM of series) {
          assert.equal(count('reference', concentrationM), 1);
          assert.equal(count('positive_control', concentrationM), 1);
        }
        assert.ok(count('negative_control', Math.max(...series)) >= 8);
        assert.ok(count('negative_control', 0) >= 8);
      }
    }
  });

  it('concentration series: any order with duplicates → highest first, buffer last; invalid values → refused', () => {
    assert.deepEqual(listConcentrations([31.6, 1000, 31.6]), [1e-6, 3.16e-8, 0]);
    assert.throws(() => listConcentrations([-1]), RangeError);
    assert.throws(() => listConcentrations([Number.NaN]), RangeError);
  });

  it('wells: positions 0 to 96 → column by column from A01 to H12, then again', () => {
    assert.deepEqual([0, 7, 8, 95, 96].map(formatWellName), ['A01', 'H01', 'A02', 'H12', 'A01']);
  });

  it('simulated plates: a series longer than a plate → one preparation per plate', () => {
    const concentrationsNm = Array.from({ length: 60 }, (_, i) => 10 * (i + 1));
    const files = readFiles({ concentrationsNm, sequences: createSequences(2), nReplicates: 1 });
    assert.deepEqual(
      files.map((file) => file.traces.filter((row) => row.role === 'sample').length),
      [61, 61],
    );
  });

  it('simulated plates: read one by one → the same bytes as all at once', () => {
    const many = createRequest({ sequences: createSequences(20) });
    const collected = simulatePlates(many).plates;
    assert.deepEqual([...simulatePlateFiles(many)], collected);
    assert.deepEqual(collected.map((plate) => plate.fileName).slice(0, 2), ['EXP-1-P1.csv', 'EXP-1-P2.csv']);
  });

  it('simulated plates: no replicates, or far too many → refused', () => {
    assert.throws(() => simulatePlates(createRequest({ nReplicates: 0 })), RangeError);
    assert.throws(() => simulatePlates(createRequest({ nReplicates: 1000 })), RangeError);
  });
});

describe('signals', () => {
  it('binding model: 1:1 equilibrium and decay → C / (C + KD), and half of it after ln 2 / koff', () => {
    const kinetics = { konPerMS: 1e5, koffPerS: 1e-2 };
    const long = { sinceStartS: 1e5, associationS: 1e5 };
    assert.ok(Math.abs(boundFraction(kinetics, 1e-7, long) - 0.5) < 1e-9);
    const later = { sinceStartS: 1e5 + Math.LN2 / 1e-2, associationS: 1e5 };
    assert.ok(Math.abs(boundFraction(kinetics, 1e-7, later) - 0.25) < 1e-9);
    assert.equal(boundFraction(kinetics, 0, long), 0);
  });

  it('loading: yields from zero upward → grows with the yield, 13 % of the maximum at the limit of expression', () => {
    assert.ok(Math.abs(computeLoadingNm(EXPRESSED_MIN_NG_PER_UL) / 2 - 0.13) < 0.005);
    assert.ok(computeLoadingNm(60) > 1.99 && computeLoadingNm(60) < 2 && computeLoadingNm(0) === 0);
  });

  it('forced binder, non_binder: simulated → responses follow the dose, or stay like the negative controls', () => {
    const [bound] = readFiles({ options: { force: 'binder' } });
    const [unbound] = readFiles({ options: { force: 'non_binder' } });
    assert.ok(bound !== undefined && unbound !== undefined);
    const responses = (file: File, concentrationM: number): number[] =>
      file.traces
        .filter((row) => row.role === 'sample' && row.concentrationM === concentrationM)
        .map((row) => computeResponse(file, row));
    const high = responses(bound, 1e-6);
    const low = responses(bound, 3.16e-8);
    assert.ok(high.every((value, i) => value > 0.1 && value > (low[i] ?? 0)));
    assert.ok(responses(unbound, 1e-6).every((value) => Math.abs(value) < 0.04));
    assert.ok(responses(bound, 0).every((value) => Math.abs(value) < 0.03));
  });

  it('forced not_expressed, no_loading: simulated → the sensor stays nearly bare', () => {
    for (const force of ['not_expressed', 'no_loading'] as const) {
      const [file] = readFiles({ options: { force } });
      assert.ok(file !== undefined);
      for (const row of file.traces.filter((each) => each.role === 'sample')) {
        assert.ok(computeEnd(file, row.trace, 'loading') < 0.08);
      }
    }
  });

  it('forced spike: simulated → one sensor of each replicate jumps by more than noise can', () => {
    const [file] = readFiles({ options: { force: 'spike' } });
    assert.ok(file !== undefined);
    const jumps = file.traces
      .filter((row) => row.role === 'sample')
      .filter((row) => {
        const points = (file.samples.get(row.trace) ?? []).filter((point) => point.step === 'association');
        return points.some(
          (point, i) => i > 2 && Math.abs(point.signal - (points[i - 1]?.signal ?? 0)) > 0.2,
        );
      });
    assert.equal(jumps.length, 6);
    assert.ok(jumps.every((row) => row.concentrationM > 0));
  });

  it('forced outcome: a control of the client among the sequences → the control is not affected', () => {
    const [first, ...others] = createSequences(3);
    assert.ok(first !== undefined);
    const mixed = [{ ...first, isControl: true }, ...others];
    const { truth } = simulatePlates(createRequest({ sequences: mixed, options: { force: 'binder' } }));
    const natural = simulatePlates(createRequest({ sequences: mixed })).truth;
    assert.deepEqual(truth[0], natural[0]);
    assert.ok(truth.slice(1).every((each) => each.design.binds));
  });

  it('truth: simulated plates → one entry per sequence and one per replicate', () => {
    const { truth } = simulatePlates(createRequest({ nReplicates: 3 }));
    assert.deepEqual(
      truth.map((each) => each.sequenceId),
      ['seq-1', 'seq-2', 'seq-3'],
    );
    assert.ok(truth.every((each) => each.replicates.map((r) => r.replicate).join() === '1,2,3'));
  });
});
