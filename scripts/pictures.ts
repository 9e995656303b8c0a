/**
 * `npm run pictures` draws the figures of the documentation: orders of designs that the simulated lab measures, as their
 * client sees them. The same code draws the same figures.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ExperimentPlot } from '#assays/assay.ts';
import { listAssayNames, hasPlot, type AssayName } from '#assays/registry.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { createDesigns, createRepeatableBytes } from './freeze/repeatable.ts';

const FOLDER = join(import.meta.dirname, '..', 'docs', 'pictures');

function findAssay(plot: ExperimentPlot): AssayName | undefined {
  return listAssayNames().find((name) => hasPlot(name, plot));
}

function writeFigure(name: string, svg: string): void {
  writeFileSync(join(FOLDER, `${name}.svg`), svg);
}

// As a test, because what the tests share gives its service and its database back when a test ends.
await test('pictures', async () => {
  const service = await testService({}, { random: createRepeatableBytes(20_260_302) });
  const { createReleased, targets } = await createBuilders(service);
  const order = async (spec: Readonly<Record<string, unknown>>): Promise<string> => {
    const { code } = await createReleased({ name: 'designs', experiment_spec: spec });
    return code;
  };
  const draw = async (path: string): Promise<string> =>
    expectStatus(await service.ask('GET', path), 200).text;
  /** Saves the figure of the first result that has no flag. */
  const saveClear = async (name: string, code: string): Promise<void> => {
    const { body } = expectStatus(await service.ask('GET', `/experiments/${code}/results`), 200);
    for (const { id } of getItems(body.items)) {
      const figure = await draw(`/results/${getText(id)}/plot.svg`);
      if (!figure.includes('Flag')) return writeFigure(name, figure);
    }
    throw new Error(`Every result of ${code} has a flag; order other designs.`);
  };
  mkdirSync(FOLDER, { recursive: true });
  const binding = await order({
    experiment_type: findAssay('rates'),
    method: 'bli',
    n_replicates: 3,
    target_id: targets.perSequence,
    sequences: createDesigns(14),
    parameters: { sandbox: { library: 'enriched' } },
  });
  writeFigure('ranking', await draw(`/experiments/${binding}/plot.svg?view=ranking`));
  await saveClear('sensorgrams', binding);
  const melting = await order({
    experiment_type: findAssay('melts'),
    n_replicates: 3,
    sequences: createDesigns(12),
  });
  await saveClear('melting', melting);
});
