/** Settings that differ from the usual ones, told with the results of every assay. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRecord } from '#core/records.ts';
import { analyzeHere } from '#analysis/assays/assay.ts';
import type { Assay } from '#analysis/assays/assay.ts';
import { flagChangedSettings } from '#analysis/assays/settings.ts';
import { ENGINES } from '#assays/engines.ts';
import type { AssayName } from '#assays/registry.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import { createFiles, createRequest } from '#testing/sandbox/requests.ts';

const NAMES = Object.keys(ENGINES).filter((name): name is AssayName => Object.hasOwn(ENGINES, name));

/** The limit of how far replicates may spread, ten times as high as usual, where the assay has it. */
function computeLooserLimits(usual: object): Record<string, unknown> {
  const entries = Object.entries(usual).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'limits' && isRecord(value)) return [[name, computeLooserLimits(value)]];
    return /^replicate.*Max/.test(name) ? [[name, 10 * Number(value)]] : [];
  });
  return Object.fromEntries(entries);
}

function readFlags(answer: unknown): unknown[][] {
  const found = isRecord(answer) && isRecord(answer.found) ? answer.found : answer;
  assert.ok(isRecord(found) && Array.isArray(found.sequences));
  return found.sequences.filter(isRecord).map(({ flags }) => (Array.isArray(flags) ? flags : []));
}

for (const name of NAMES)
  test(`SETTINGS_CHANGED: ${name} with a looser limit → a warning on every result; usual settings → none`, () => {
    const request = createRequest(name, { nReplicates: 2 });
    const sequences = request.sequences.slice(0, 2);
    const files = createFiles({ ...request, sequences });
    const aa = Object.fromEntries(sequences.map(({ name: sample, aaString }) => [sample, aaString]));
    const assay: Assay = ENGINES[name];
    const tell = (settings: Readonly<Record<string, unknown>>) =>
      readFlags(analyzeHere(assay, { files, sequences: aa, settings })).map((flags) =>
        flags.filter(isRecord).find(({ code }) => code === 'SETTINGS_CHANGED'),
      );
    const usual = assay.resolveSettings({});
    for (const settings of [{}, { ...usual }])
      for (const flag of tell(settings)) assert.equal(flag, undefined);
    const told = tell(computeLooserLimits(usual));
    assert.ok(told.length > 0);
    for (const flag of told) {
      assert.equal(flag?.severity, 'warning');
      assert.match(
        String(flag.message),
        /other settings than usual: replicate_\w+ [\d.]+ \(usually [\d.]+\)\./,
      );
    }
  });

describe('SETTINGS_CHANGED', () => {
  const USUAL = {
    model: 'auto',
    dissociationS: null,
    reference: 'auto',
    assign: {},
    controlKdM: {},
    targetControlKdM: 1e-9,
    limits: { r2Min: 0.95, spikeSd: 12, konMax: 1e7, signalToNoise: 3 },
  };
  const tell = (change: object): Flag | undefined => {
    const sequence: { flags: Flag[] } = { flags: [] };
    flagChangedSettings([sequence], { ...USUAL, ...change }, USUAL);
    return sequence.flags[0];
  };
  const withLimit = (limit: object) => ({ limits: { ...USUAL.limits, ...limit } });

  test('SETTINGS_CHANGED: a looser limit, a window, a check switched off, another KD of the control → a warning', () => {
    const changes = [
      withLimit({ r2Min: 0.5 }),
      withLimit({ spikeSd: 100 }),
      withLimit({ konMax: 1e9 }),
      withLimit({ signalToNoise: 1 }),
      { dissociationS: 100 },
      { reference: 'none' },
      { controlKdM: { control: 1e-6 } },
    ];
    for (const change of changes) assert.equal(tell(change)?.severity, 'warning', JSON.stringify(change));
    assert.match(tell({ dissociationS: 100 })?.message ?? '', /dissociation_s 100 \(usually not set\)/);
  });

  test('SETTINGS_CHANGED: a stricter limit or another model → information', () => {
    for (const change of [withLimit({ r2Min: 0.99 }), withLimit({ konMax: 1e6 }), { model: '1:1' }])
      assert.equal(tell(change)?.severity, 'info', JSON.stringify(change));
  });

  test('SETTINGS_CHANGED: what the files do not say, and the KD of the catalog → nothing', () => {
    const changes = [{ assign: { A1: { sample: 'design' } } }, { controlKdM: { control: 1e-9 } }];
    for (const change of changes) assert.equal(tell(change), undefined, JSON.stringify(change));
  });
});
