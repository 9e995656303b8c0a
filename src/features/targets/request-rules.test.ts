import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChains } from './request-rules.ts';

test('readChains: FASTA, bare letters, several records or nothing → chains without headers and spaces', () => {
  assert.equal(readChains('>egfr, chain A\r\nACD EFG\r\nHIK\r\n'), 'ACDEFGHIK');
  assert.equal(readChains('ACD\nEFG'), 'ACDEFG');
  assert.equal(readChains('>heavy\nACD\n>light\nEFG\n'), 'ACD:EFG');
  assert.equal(readChains('ACD:EFG'), 'ACD:EFG');
  assert.equal(readChains('>only a header\n'), '');
});
