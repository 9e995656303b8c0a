/** Raw files while the disk, or the quota of the service, has no room for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE_MS } from '#core/clock.ts';
import { createBuilders, createSequences, expectFailure, expectStatus } from '#testing/builders.ts';
import { createFillingFiles } from '#testing/full-disk.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getItems, testService } from '#testing/service.ts';

const disk = createFillingFiles();
const logLines: string[] = [];
const service = await testService(
  {},
  { blobFiles: disk.files, takeLogLine: (line) => void logLines.push(line) },
);
const { ask, clock } = service;
const { createRunning } = await createBuilders(service);
const raw = createRawFile(createSequences(1));
const HEALTH = '/info/health-db';

const UPLOADS = {
  'PUT with the bytes': (id: string) =>
    ask('PUT', `/lab/experiments/${id}/files/${encodeURIComponent(raw.name)}`, {
      payload: Buffer.from(raw.content_base64, 'base64'),
      headers: { 'content-type': 'application/octet-stream' },
    }),
  'POST with Base64': (id: string) => ask('POST', `/lab/experiments/${id}/files`, { body: raw }),
} as const;

for (const [how, upload] of Object.entries(UPLOADS))
  for (const error of ['ENOSPC', 'EDQUOT'] as const)
    for (const at of ['staging', 'keeping'] as const)
      test(`disk_full: ${error} while ${at} a raw file, ${how} → 503 with Retry-After and degraded health; with room the same request works`, async () => {
        const { id } = await createRunning();
        assert.deepEqual((await ask('GET', HEALTH)).body, { status: 'ok', db: 'connected' });
        disk.fault = { error, at };
        logLines.length = 0;
        const refused = expectFailure(await upload(id), 503, 'disk_full');
        assert.equal(refused.headers['retry-after'], '60');
        assert.match(refused.text, /disk of the service is full/);
        const line = logLines.find((text) => text.includes('"code":"disk_full"')) ?? '';
        assert.match(line, /no room for raw files in .*blobs.*make room on that disk, or raise the quota/);
        assert.ok(!refused.text.includes(service.dataDir), 'no path of the service');
        const path = `/lab/experiments/${id}/files`;
        assert.deepEqual(getItems(expectStatus(await ask('GET', path), 200).body.files), []);
        const degraded = { status: 'degraded', db: 'connected', raw_files: 'disk_full' };
        assert.deepEqual(expectStatus(await ask('GET', HEALTH), 200).body, degraded);
        disk.fault = null;
        assert.ok((await upload(id)).status < 300);
        assert.equal(getItems(expectStatus(await ask('GET', path), 200).body.files).length, 1);
        clock.advance(MINUTE_MS);
        assert.deepEqual((await ask('GET', HEALTH)).body, { status: 'ok', db: 'connected' });
      });
