import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { targets } = await createBuilders(service);

test('list_targets: selfservice_only → only targets with a price; detailed → with details', async () => {
  const all = expectStatus(await ask('GET', '/targets?limit=100'), 200);
  const selfService = expectStatus(await ask('GET', '/targets?limit=100&selfservice_only=true'), 200);
  const conjugated = expectStatus(await ask('GET', '/targets?limit=100&show_conjugated=true'), 200);
  assert.ok(Number(all.body.total) >= 30);
  assert.ok(Number(selfService.body.total) < Number(all.body.total));
  assert.ok(Number(conjugated.body.total) >= Number(all.body.total));
  assert.ok(getItems(selfService.body.items).every((item) => Boolean(item.pricing)));
  const detailed = expectStatus(await ask('GET', '/targets?search=egfr&detailed=true'), 200);
  const [egfr] = getItems(detailed.body.items);
  assert.equal(egfr?.uniprot_id, 'P00533');
  assert.deepEqual(egfr?.gene_names, egfr?.details.gene_names);
});

test('invalid_query: targets are sorted by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/targets?sort=desc(color)'), 400, 'invalid_query');
});

test('get_target_info: targets of every kind of pricing → answered with details', async () => {
  for (const id of Object.values(targets)) {
    const target = expectStatus(await ask('GET', `/targets/${id}`), 200);
    assert.equal(target.body.id, id);
    assert.equal(typeof target.body.details, 'object');
  }
});

test('target_not_found: an unknown id → 404; a malformed id → 400', async () => {
  expectFailure(await ask('GET', `/targets/${UNKNOWN_ID}`), 404, 'target_not_found');
  expectFailure(await ask('GET', '/targets/EGFR'), 400, 'invalid_request');
});

proveCoverage('targets');
