import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PRIVATE_ANSWERS,
  PRIVATE_IPV4,
  PRIVATE_IPV6,
  PRIVATE_NAMES,
  URL_TRICKS,
} from '#testing/forbidden-receivers.ts';
import { findAddressProblem, parseReceiver } from './receiver.ts';

const PUBLIC = { allowsLoopback: false, ports: [443] };
const LOCAL = { allowsLoopback: true, ports: [443] };

const findProblem = (url: string, policy = PUBLIC): string | null => {
  const receiver = parseReceiver(url, policy);
  return 'problem' in receiver ? receiver.problem : null;
};

test('receiver: every address that is not public → refused, in every notation of URLs', () => {
  for (const address of PRIVATE_IPV4) {
    assert.notEqual(findProblem(`https://${address}/`), null, address);
    assert.notEqual(findProblem(`https://${address}./`), null, `${address}.`);
  }
  for (const address of PRIVATE_IPV6) assert.notEqual(findProblem(`https://[${address}]/`), null, address);
});

test('receiver: every address that is not public, as a name server answers it → refused', () => {
  assert.ok(PRIVATE_ANSWERS.length > 40);
  for (const address of PRIVATE_ANSWERS) assert.notEqual(findAddressProblem(address, PUBLIC), null, address);
  for (const wrong of ['', 'localhost', '1.2.3', 'fe80::1%eth0'])
    assert.notEqual(findAddressProblem(wrong, PUBLIC), null);
});

test('receiver: public addresses beside the special networks → allowed', () => {
  const addresses =
    '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 128.0.0.1 169.253.0.1 172.15.0.1 172.32.0.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2001:4860:4860::8888 2a00::1';
  for (const address of addresses.split(' ')) {
    assert.equal(findAddressProblem(address, PUBLIC), null, address);
    const host = address.includes(':') ? `[${address}]` : address;
    assert.equal(findProblem(`https://${host}/hook`), null, address);
  }
});

test('receiver: names of a private network, and names that no server has → refused', () => {
  for (const name of PRIVATE_NAMES) assert.notEqual(findProblem(`https://${name}/`), null, name);
});

test('receiver: tricks in the text of an address → refused', () => {
  const texts = [...URL_TRICKS, '', `https://hooks.example.org/${'a'.repeat(2_000)}`];
  for (const text of texts) {
    assert.notEqual(findProblem(text), null, text);
    assert.notEqual(findProblem(text, LOCAL), null, text);
  }
});

test('receiver: ports → the listed ones only', () => {
  for (const port of [22, 25, 80, 5432, 6379, 8443])
    assert.match(findProblem(`https://hooks.example.org:${port}/`) ?? '', /must use port 443/);
  assert.equal(findProblem('https://hooks.example.org:443/'), null);
  const several = { allowsLoopback: false, ports: [443, 8443] };
  assert.equal(findProblem('https://hooks.example.org:8443/', several), null);
  assert.match(findProblem('https://hooks.example.org:22/', several) ?? '', /one of the ports 443, 8443/);
});

test('receiver: loopback is allowed → http and every port of this machine, and nothing else of its network', () => {
  for (const url of [
    'http://localhost:3000/hook',
    'http://127.0.0.1:9/',
    'https://[::1]:8443/',
    'http://app.localhost/',
  ])
    assert.equal(findProblem(url, LOCAL), null, url);
  for (const url of [
    'http://10.0.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/',
    'https://hooks.example.org:22/',
  ])
    assert.notEqual(findProblem(url, LOCAL), null, url);
});

test('receiver: an ordinary address → its name and its path', () => {
  const receiver = parseReceiver('https://Hooks.Example.org/in?a=1', PUBLIC);
  assert.ok('url' in receiver);
  assert.deepEqual(
    [receiver.host, receiver.address, receiver.url.href],
    ['hooks.example.org', null, 'https://hooks.example.org/in?a=1'],
  );
});
