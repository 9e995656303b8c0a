/**
 * Bubbles are recognized by their duration, not by their number of samples; at the end of association they do not
 * count as response.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InputFile } from '#analysis/formats/reading/input-file.ts';
import { analyzeAffinity, analyzeScreening } from '#testing/analysis/analyze.ts';
import { createNormals, toFile } from '#testing/analysis/synthetic.ts';

const ASSOCIATION_S = 120;
const DISSOCIATION_S = 120;
const BASELINE_S = 60;
const RATES = { kon: 1e5, koff: 5e-3 };

interface Sensor {
  role: string;
  sample: string;
  replicate?: number;
  concentrationM: number;
  rmax?: number;
  rates?: typeof RATES;
  /** Added to the signal while the bubble passes, in s after the start of association. */
  bubble?: { fromS: number; lengthS: number };
}

function bound({ concentrationM, rmax = 1, rates = RATES }: Sensor, t: number): number {
  const kobs = rates.kon * concentrationM + rates.koff;
  const plateau = (rmax * rates.kon * concentrationM) / kobs;
  const until = plateau * (1 - Math.exp(-kobs * Math.min(t, ASSOCIATION_S)));
  return t <= 0 ? 0 : until * Math.exp(-rates.koff * Math.max(0, t - ASSOCIATION_S));
}

function createFile(sensors: readonly Sensor[], hz: number): InputFile {
  const normal = createNormals(7);
  const ids = sensors.map(
    (each, i) => `T${i + 1},,${each.role},${each.sample},${each.replicate ?? 1},${each.concentrationM}`,
  );
  const rows = sensors.flatMap((sensor, i) =>
    Array.from({ length: (BASELINE_S + ASSOCIATION_S + DISSOCIATION_S) * hz }, (_, k) => {
      const t = k / hz - BASELINE_S;
      const step = t < 0 ? 'baseline' : t < ASSOCIATION_S ? 'association' : 'dissociation';
      const { fromS, lengthS } = sensor.bubble ?? { fromS: 0, lengthS: 0 };
      const bubble = t >= fromS && t < fromS + lengthS ? 0.2 : 0;
      return `T${i + 1},${step},${k / hz},${(bound(sensor, t) + bubble + 0.003 * normal()).toFixed(6)}`;
    }),
  );
  const head = ['# assayer-traces: 1', '# technique: bli', '# signal_unit: nm', '# plate: P1', ''];
  const columns = 'trace,well,role,sample,replicate,concentration_m';
  return toFile(
    'rates.csv',
    [...head, columns, ...ids, '', 'trace,step,time_s,signal', ...rows, ''].join('\n'),
  );
}

function screenSensors(sample: Partial<Sensor>[], hz: number) {
  const at = (role: string, name: string, change: Partial<Sensor> = { rmax: 0 }): Sensor => {
    return { role, sample: name, concentrationM: 1e-6, ...change };
  };
  const negative = Array.from({ length: 8 }, (_, i) => at('negative_control', `nc-${i}`));
  const sensors = [
    at('reference', ''),
    ...negative,
    ...sample.map((change) => at('sample', 'design', change)),
    at('positive_control', 'control', {}),
  ];
  return analyzeScreening([createFile(sensors, hz)], { curves: false }).sequences[0];
}

describe('a bubble within association', () => {
  for (const hz of [1, 2, 5, 10]) {
    test(`SPIKE: a bubble of one to three seconds at ${hz} Hz → raised; no bubble → not raised`, () => {
      for (const lengthS of [0, 1, 3]) {
        const doses = [3e-7, 1e-7, 3e-8, 1e-8].map((concentrationM, i): Sensor => {
          const bubble = { fromS: 60, lengthS: i === 0 ? lengthS : 0 };
          return { role: 'sample', sample: 'design', concentrationM, bubble };
        });
        const { flags } = analyzeAffinity([createFile(doses, hz)], { curves: false }).sequences[0];
        assert.equal(
          flags.some(({ code }) => code === 'SPIKE'),
          lengthS > 0,
          `${lengthS} s`,
        );
      }
    });
  }
});

function listDoubts({ flags }: { flags: readonly { code: string; severity: string }[] }): string[] {
  return flags.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
}

describe('the end of association in screening', () => {
  for (const hz of [1, 2, 5]) {
    test(`SPIKE: a bubble at the end of association at ${hz} Hz → failed_qc instead of binder`, () => {
      for (const lengthS of [1, 2, 4]) {
        const bubble = { fromS: ASSOCIATION_S - lengthS, lengthS };
        const found = screenSensors([{ rmax: 0, bubble }], hz);
        assert.deepEqual([found.outcome, found.binding], ['failed_qc', 'unknown']);
        assert.ok(found.flags.some(({ code }) => code === 'SPIKE'));
      }
    });

    test(`SPIKE: binding of any speed at ${hz} Hz → a binder without the flag; no binding → non_binder`, () => {
      const speeds = [
        { kon: 1e5, koff: 1e-4 },
        { kon: 1e4, koff: 1e-3 },
        { kon: 1e5, koff: 0.05 },
        { kon: 1e6, koff: 1 },
      ];
      for (const rates of speeds) {
        const found = screenSensors([{ rates }], hz);
        assert.deepEqual([found.binding, listDoubts(found)], ['binder', []], JSON.stringify(rates));
      }
      assert.equal(screenSensors([{ rmax: 0 }], hz).binding, 'non_binder');
    });
  }
});

test('REPLICATES_DISAGREE: binders of one sequence with distant responses → raised; with similar ones → not', () => {
  const codes = (rmax: number): string[] => listDoubts(screenSensors([{}, { replicate: 2, rmax }], 1));
  assert.deepEqual(codes(0.03), ['REPLICATES_DISAGREE']);
  assert.deepEqual(codes(0.6), []);
});
