/**
 * `npm run screenshots` takes the pictures of the README: the ranked results of the demo's designs, a plan of plates
 * and a review, light and dark. It starts a sandbox of its own and needs a Chromium.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { readFasta } from '#features/sequences/fasta.ts';
import { signInLink } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { createRepeatableBytes } from './freeze/repeatable.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'pictures');
const SIZE = { width: 1_280, height: 800 };
const BYTES_MAX = 200_000;
const LOOKS = ['light', 'dark'] as const;
/** Designs of the plan and of the review, from the start of the file. */
const DESIGNS = 12;

const { records } = readFasta(readFileSync(join(ROOT, 'examples', 'campaign.fasta'), 'utf8'));
const sequences = Object.fromEntries(
  records.map(({ name, sequence }) => [name.split(' ')[0] ?? name, sequence]),
);
const designs = Object.fromEntries(Object.entries(sequences).slice(0, DESIGNS));

const IMAGES_IN_SIGHT_ARE_DRAWN = `[...document.images].every((image) => {
  const { top, bottom } = image.getBoundingClientRect();
  return image.complete || top > innerHeight || bottom < 0;
})`;

/** Takes a picture of what is in sight, in both looks. */
async function savePicture(page: Page, name: string): Promise<void> {
  for (const look of LOOKS) {
    await page.emulateMedia({ colorScheme: look, reducedMotion: 'reduce' });
    const path = join(FOLDER, `${name}-${look}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > BYTES_MAX) throw new Error(`${path} has ${size} bytes; at most ${BYTES_MAX} are allowed.`);
  }
}

/** Scrolls so that the innermost card of the element stands near the top of the window. */
async function showCard(page: Page, selector: string): Promise<void> {
  await page.evaluate(
    `{ const { top } = document.querySelector('${selector}').closest('.card').getBoundingClientRect(); scrollBy(0, top - 20); }`,
  );
  await page.waitForFunction(IMAGES_IN_SIGHT_ARE_DRAWN);
}

// As a test, because what the tests share gives its service and its database back when a test ends.
await test('screenshots', async () => {
  mkdirSync(FOLDER, { recursive: true });
  const service = await testService({}, { random: createRepeatableBytes(20_260_302) });
  const { ask, service: running } = service;
  const build = await createBuilders(service);
  const address = new URL(await running.app.listen({ host: '127.0.0.1', port: 0 }));
  const url = `http://localhost:${address.port}`;
  running.setBaseUrl(url);
  const { body: found } = expectStatus(await ask('GET', '/targets?search=EGFR&limit=1'), 200);
  const target = getText(getItems(found.items)[0]?.id);
  const spec = { experiment_type: 'affinity', method: 'bli', target_id: target };
  const buildOrder = (name: string, named: Readonly<Record<string, string>>, replicates: number) => ({
    name,
    experiment_spec: { ...spec, sequences: named, n_replicates: replicates },
  });
  const released = await build.createReleased(buildOrder('Maturation of 7D12, round 1', sequences, 3));
  const queued = await build.createQueued(buildOrder('Round 2', designs, 2));
  const reviewed = await build.createRunning(buildOrder('Round 1', designs, 2));
  const file = createRawFile(designs, 'affinity');
  expectStatus(await ask('POST', `/lab/experiments/${reviewed.id}/files`, { body: file }), 201);
  expectStatus(
    await ask('POST', `/lab/experiments/${reviewed.id}/complete`, { body: withShortReason('complete', {}) }),
    200,
  );
  while ((await running.worker.runDue()) > 0);

  const chromium = await startChromium();
  try {
    const page = await chromium.newPage({ viewport: SIZE });
    await page.goto(url + (await signInLink(service)));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${url}/`);
    await page.goto(`${url}/experiments/${released.code}`);
    await showCard(page, 'table.ranked');
    await savePicture(page, 'results');

    await page.goto(`${url}/lab/plans?experiment=${queued.code}`);
    await page.getByLabel('Positive control').fill('cetuximab');
    await page.getByLabel('Negative controls').fill('isotype control');
    await page.getByLabel('Seed').fill('7');
    await page.getByRole('button', { name: 'Plan the plates' }).click();
    await page.locator('[role=grid]').waitFor();
    await showCard(page, '[role=grid]');
    await savePicture(page, 'planner');

    await page.goto(`${url}/lab/experiments/${reviewed.code}/review`);
    await showCard(page, '.replicate');
    await savePicture(page, 'review');
  } finally {
    await chromium.close();
  }
});
