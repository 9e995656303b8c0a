import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listServerArguments } from './cluster.ts';

const GIBIBYTE = 1024 ** 3;

function findSharedBuffers(memoryBytes: number): string | undefined {
  const reach = { argument: '/data', workingDirectory: '/' };
  const options = { reach, socketDirectory: '/socket', maxConnections: 100, durable: true, memoryBytes };
  return listServerArguments(options).find((argument) => argument.startsWith('shared_buffers='));
}

test('embedded database: 512 MiB for it and the service → it shares 32 MB; from 1 GiB on → its own default', () => {
  assert.equal(findSharedBuffers(GIBIBYTE / 2), 'shared_buffers=32MB');
  assert.equal(findSharedBuffers(GIBIBYTE), undefined);
});
