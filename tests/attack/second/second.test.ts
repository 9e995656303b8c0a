import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeUpperTail } from '../judge/statistics.ts';
import { Dice } from './dice.ts';
import { findFamilies, makeRun } from './families.ts';
import { checkRun, countFaults, FAULTS, findFaults, type Fault, type Judged, type Reading } from './judge.ts';
import { KNOWN_MISSES } from './known-misses.ts';
import { computeAggregatingMelt, findHalfC, findUnfolded } from './melting.ts';
import { computeBath, EMPTY, readMass } from './surface.ts';
import { formatRow } from './table.ts';
import type { Subject } from './truth.ts';

test('surface: 1:1 binding → the closed form of association and dissociation', () => {
  const chemistry = { konPerMS: 1e5, koffPerS: 2e-3 };
  const concentrationM = 3e-8;
  const bound = computeBath(chemistry, EMPTY, { seconds: 300, concentrationM }, 1);
  const rate = chemistry.konPerMS * concentrationM + chemistry.koffPerS;
  const plateau = (chemistry.konPerMS * concentrationM) / rate;
  bound.samples.forEach((state, timeS) => {
    assert.ok(Math.abs(readMass(state) - plateau * (1 - Math.exp(-rate * timeS))) < 1e-6);
  });
  const gone = computeBath(chemistry, bound.end, { seconds: 300, concentrationM: 0 }, 1);
  const expected = readMass(bound.end) * Math.exp(-chemistry.koffPerS * 300);
  assert.ok(Math.abs(readMass(gone.end) - expected) < 1e-6);
});

test('surface: depletion → what is bound is missing in the well', () => {
  const sitesM = 2e-9;
  const chemistry = { konPerMS: 1e6, koffPerS: 1e-3, sitesM };
  const { samples } = computeBath(chemistry, EMPTY, { seconds: 600, concentrationM: 3e-9 }, 1);
  for (const state of samples) assert.ok(Math.abs(state[0] + sitesM * state[1] - 3e-9) < 1e-15);
  assert.ok((samples.at(-1)?.[0] ?? 1) < 2e-9);
});

test('surface: bivalent analyte → sites are never more than all, and the complex leaves more slowly', () => {
  const plain = { konPerMS: 1e5, koffPerS: 5e-3 };
  const both = { ...plain, crosslinkPerS: 0.05 };
  const bathe = (chemistry: typeof plain) => {
    const bound = computeBath(chemistry, EMPTY, { seconds: 300, concentrationM: 1e-8 }, 1);
    for (const state of bound.samples) assert.ok(state[1] + 2 * state[2] <= 1);
    const gone = computeBath(chemistry, bound.end, { seconds: 300, concentrationM: 0 }, 1);
    return readMass(gone.end) / readMass(bound.end);
  };
  assert.ok(bathe(both) > 2 * bathe(plain));
});

test('surface: rebinding → dissociation slows by one plus the Damköhler number of the free sites', () => {
  const chemistry = { konPerMS: 1e5, koffPerS: 5e-3, damkohler: 3 };
  const few = computeBath(chemistry, [0, 1e-6, 0, 0, 0], { seconds: 100, concentrationM: 0 }, 1);
  const slowed = Math.exp((-chemistry.koffPerS * 100) / 4);
  assert.ok(Math.abs(readMass(few.end) / 1e-6 - slowed) < 1e-3);
});

test('melting: equilibrium → half unfolded at Tm; aggregation lowers the temperature of the half', () => {
  const domain = { tmC: 60, enthalpyKj: 400, capacityKj: 6 };
  assert.ok(Math.abs(findUnfolded(domain, 60) - 0.5) < 1e-12);
  const temperaturesC = Array.from({ length: 1401 }, (_, index) => 25 + index * 0.05);
  const still = computeAggregatingMelt(domain, temperaturesC, 0, 250, 1);
  const sticky = computeAggregatingMelt(domain, temperaturesC, 0.02, 250, 1);
  assert.ok(Math.abs(findHalfC(temperaturesC, still.unfolded) - 60) < 0.01);
  assert.ok(findHalfC(temperaturesC, sticky.unfolded) < 59);
  still.aggregated.forEach((part) => assert.equal(part, 0));
});

const SUBJECT: Subject = { name: 'x', quantity: 'kd', truth: { low: 1e-8, high: 1e-8 }, isSound: true };
const readAs = (relation: string, value: number, more: Partial<Reading> = {}): Reading => ({
  outcome: 'measured',
  flags: [],
  value: { value, relation, ci95_low: value / 1.2, ci95_high: value * 1.2 },
  kon: null,
  koff: null,
  detectableM: null,
  transitions: [],
  ...more,
});

test('judge: each way to mislead → its fault, and a right result → none', () => {
  const listFaults = (reading: Reading, subject = SUBJECT) => {
    const verdict = findFaults(reading, subject);
    return FAULTS.filter((fault) => verdict[fault] === true);
  };
  assert.deepEqual(listFaults(readAs('=', 1.1e-8)), []);
  assert.deepEqual(listFaults(readAs('=', 2e-8)), ['interval misses', 'silent miss']);
  assert.deepEqual(listFaults(readAs('=', 2e-8, { flags: ['DRIFT'] })), ['interval misses']);
  assert.deepEqual(listFaults(readAs('<', 5e-9)), ['wrong limit', 'lost =']);
  assert.deepEqual(listFaults(readAs('<', 5e-8)), ['lost =']);
  assert.deepEqual(listFaults(readAs('>', 2e-8)), ['wrong limit', 'lost =']);
  assert.deepEqual(listFaults(readAs('=', 1e-8), { ...SUBJECT, truth: null }), [
    'silent miss',
    'false positive',
  ]);
  const absent = { outcome: 'non_binder', value: null };
  assert.deepEqual(listFaults(readAs('=', 1, { ...absent, detectableM: 1e-6 })), [
    'false negative',
    'lost =',
  ]);
  assert.deepEqual(listFaults(readAs('=', 1, { ...absent, detectableM: 1e-9 })), ['lost =']);
  const melting: Subject = { ...SUBJECT, quantity: 'tm', truth: { low: 60, high: 60 } };
  const value = { value: 61.5, relation: '=', ci95_low: 61.4, ci95_high: 61.6 };
  assert.deepEqual(listFaults(readAs('=', 1, { value }), melting), ['interval misses', 'silent miss']);
});

test('judge: later transitions stated as measured → a miss where the interval lacks the nearest one or nothing is there', () => {
  const subject: Subject = {
    name: 'x',
    quantity: 'tm',
    truth: { low: 50, high: 50 },
    isSound: false,
    transitionsC: [50, 62],
  };
  const judge = (...later: (readonly [value: number, relation: string])[]) => {
    const all: (readonly [number, string])[] = [[50, '='], ...later];
    const transitions = all.map(([value, relation]) => {
      return { value, relation, ci95_low: value - 1, ci95_high: value + 1 };
    });
    const verdict = findFaults(readAs('=', 50, { transitions }), subject);
    return [verdict['Tm2 misses'], verdict['Tm3 misses']];
  };
  assert.deepEqual(judge([62.5, '=']), [false, undefined]);
  assert.deepEqual(judge([64, '=']), [true, undefined]);
  assert.deepEqual(judge([64, '~']), [undefined, undefined]);
  assert.deepEqual(judge([62, '='], [80, '=']), [false, true]);
});

test('table: faults beyond their limit → a mark, with the lower limit of the rate', () => {
  const build = (isWrong: boolean): Judged => ({
    family: 'spr-clean',
    seed: '1',
    subject: SUBJECT,
    reading: readAs('=', 1e-8),
    error: null,
    verdict: { 'interval misses': isWrong },
  });
  const half = [
    ...Array.from({ length: 10 }, () => build(true)),
    ...Array.from({ length: 10 }, () => build(false)),
  ];
  const cell = countFaults(half)['interval misses'];
  assert.deepEqual([cell.count, cell.of], [10, 20]);
  assert.ok(cell.lowerLimit > 0.3 && cell.lowerLimit < 0.31);
  assert.match(formatRow('spr-clean', half), /10\/20 \(30\.2\) !/);
  assert.match(formatRow('spr-clean', [build(false)]), /0\/1 \|/);
});

test('simulator: the same seed → the same files; another → others', () => {
  const write = (seed: string) => makeRun('spr-dispersion', new Dice(seed)).run.files;
  assert.deepEqual(write('a'), write('a'));
  assert.notDeepEqual(write('a'), write('b'));
});

const found = findFamilies('').flatMap((family) =>
  checkRun(family, 'test', makeRun(family, new Dice(`${family}:test-0`))),
);
const isKnown = (family: string, fault: Fault) => KNOWN_MISSES.get(family)?.faults.includes(fault) ?? false;
const listMisses = (faults: readonly Fault[]) =>
  found.flatMap(({ family, subject, verdict }) =>
    faults
      .filter((fault) => verdict[fault] === true && !isKnown(family, fault))
      .map((fault) => `${family} ${subject.name} ${fault}`),
  );

test('second simulator: a run of each family → no misleading result but the known ones', () => {
  assert.deepEqual(
    listMisses(['error', 'wrong limit', 'silent miss', 'false positive', 'false negative']),
    [],
  );
});

test('second simulator: a run of each family → intervals miss no more often than chance makes them', () => {
  const faults: readonly Fault[] = [
    'interval misses',
    'kon misses',
    'koff misses',
    'Tm2 misses',
    'Tm3 misses',
  ];
  const trials = found.flatMap(({ family, verdict }) =>
    faults.filter((fault) => verdict[fault] !== undefined && !isKnown(family, fault)),
  ).length;
  const misses = listMisses(faults);
  // Intervals of 95 % miss one time in twenty; a tail below 1 % is no chance.
  assert.ok(
    computeUpperTail(misses.length, trials, 0.05) > 0.01,
    `${trials} intervals: ${misses.join('; ')}`,
  );
});

test('known misses: each family → exists', () => {
  const families = new Set(findFamilies(''));
  for (const family of KNOWN_MISSES.keys()) assert.ok(families.has(family), family);
});
